/** How a golden transcript of ZeroClaw's tools is written: as plain data that any player can replay. */

/** What a host receives. */
export interface ZeroclawEnvelope {
  readonly success: boolean;
  readonly output: string;
  readonly error: string | null;
}

export interface ZeroclawCall {
  readonly name: string;
  /** `<job 1>`, also in the result, is the id of the first job that was added. */
  readonly input: unknown;
  readonly result: ZeroclawEnvelope;
  /** How often the call is sent; each has the same result. Default once. */
  readonly times?: number;
  /** So many milliseconds after the call before; what is due has run by then. Default 0, and nothing runs. */
  readonly afterMs?: number;
}

export interface ZeroclawTranscript {
  readonly title: string;
  readonly rows: readonly string[];
  /** The level. Default "supervised". */
  readonly autonomy?: "readonly" | "supervised" | "full";
  /** Options of the seed's policy. Absent: its preset, as the dialect brings it. */
  readonly policy?: {
    readonly allowedCommands?: readonly string[];
    readonly blockHighRiskCommands?: boolean;
    readonly requireApprovalForMediumRisk?: boolean;
  };
  /** What a user answers. Absent: no user is there. */
  readonly approval?: "granted" | "denied";
  /** The questions that the user was asked, as reasons. */
  readonly asked?: readonly string[];
  /** When it begins, by the clock of its state. Absent: there is no state, and so neither memories nor jobs. */
  readonly at?: string;
  /** Content by path, relative to the workspace /project. */
  readonly files?: Readonly<Record<string, string>>;
  readonly calls: readonly ZeroclawCall[];
  /** Content afterwards, null where there is no file. */
  readonly after?: Readonly<Record<string, string | null>>;
}

export const done = (output: string): ZeroclawEnvelope => ({ success: true, output, error: null });
export const failed = (error: string, output = ""): ZeroclawEnvelope => ({ success: false, output, error });
export const violation = (reason: string) => failed(`Security policy violation: ${reason}`);
