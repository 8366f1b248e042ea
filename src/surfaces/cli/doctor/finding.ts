/** One thing that `haft doctor` looked at. */
export interface DoctorFinding {
  /** What was looked at, in one word: a program may pick it by this. */
  readonly id: string;
  /** `ok`; `note`: nothing is wrong, and something could be done; `limits`: it works with less; `stops`: Haft does not work. */
  readonly status: "ok" | "note" | "limits" | "stops";
  /** What is there. */
  readonly found: string;
  /** What is lost by it. */
  readonly cost?: string;
  /** What to do. */
  readonly next?: string;
}
