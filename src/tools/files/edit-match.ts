/** What a stage finds, and how it looks for it. */
import type { Units } from "./edit-search.js";

/** What every line of a place has in front that the wanted text lacks, or lacks that the wanted text has. */
export type Shift = { readonly added: string } | { readonly removed: string };

/** A place in the original, in units. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** The wanted text ends with a line end where the file ends without one. */
  readonly atMissingLineEnd?: true;
  /** How the place is indented otherwise than the wanted text, so that the new text can be likewise. */
  readonly shift?: Shift;
}

/** How a stage looks for one text. */
export interface StageSearch {
  /** What it sees of the file, and of the wanted text. */
  readonly units: Units;
  readonly needle: Units;
  /** Whether it sees anything that the stage before has not seen. */
  readonly differs: boolean;
  /** The place of the original where the needle stands at `at`, unless the stage does not take it. */
  accept(at: number): Match | undefined;
  /** A place at the end of the file that is found in no other way. */
  last?(): Match | undefined;
}
