/** One result of `haft doctor`. */
export interface DoctorFinding {
  /** What was checked, in one word, for programs. */
  readonly id: string;
  /** `note`: a suggestion; `limits`: Haft works with less; `stops`: Haft does not work. */
  readonly status: "ok" | "note" | "limits" | "stops";
  readonly found: string;
  /** The name of the target that it is about. Absent: this machine, or the target as a whole. */
  readonly target?: string;
  /** The consequence. */
  readonly cost?: string;
  /** What to do. */
  readonly next?: string;
}
