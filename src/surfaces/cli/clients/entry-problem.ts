/** A client's file that is left alone. The message says why, as it reads after "Did not change FILE:". */
export class EntryProblem extends Error {
  override readonly name = "EntryProblem";
}
