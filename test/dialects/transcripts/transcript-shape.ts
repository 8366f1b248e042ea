/** What a golden transcript is made of: JSON, so that a player needs nothing of ours to read it. */

/** What one call must come to. */
export interface ExpectedOutcome {
  readonly is_error: boolean;
  /** The whole output. */
  readonly output?: unknown;
  /** Where the wording is free: texts that the output, as JSON or text, must hold. */
  readonly has?: readonly string[];
}

/** One call, sent when the one before has been answered. */
export interface TranscriptCall {
  readonly name: string;
  /** As a model sends it: an object, or JSON text, or anything else. */
  readonly input: unknown;
  readonly outcome: ExpectedOutcome;
  /** Files that somebody else writes after this call, before the next one. */
  readonly meanwhile?: Readonly<Record<string, string>>;
}

/** Calls of one session, in order, in a working directory of its own. */
export interface Transcript {
  readonly title: string;
  /** The requirements that it proves. */
  readonly rows: readonly string[];
  /** Default "rust". */
  readonly edition?: "rust" | "python";
  /** The collection that the box is made of. Default "all". */
  readonly collection?: string;
  /** Whether the host hands in a read-state, which closes the gate. Default false. */
  readonly readState?: boolean;
  /** What lies in the working directory; a path that ends in a slash is an empty directory. */
  readonly files?: Readonly<Record<string, string>>;
  readonly calls: readonly TranscriptCall[];
  /** What lies there afterwards; null where nothing does. */
  readonly after?: Readonly<Record<string, string | null>>;
}
