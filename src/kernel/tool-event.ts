/** What a call reports to its host while it runs. */

/** Output of a command. */
export interface OutputEvent {
  readonly kind: "output";
  readonly stream: "stdout" | "stderr";
  /** Bytes of the stream before this event. */
  readonly offset: number;
  /** As printed: they may begin or end inside a character. Empty once a stream has had its share of events. */
  readonly bytes: Uint8Array;
}

/** How far the work of a call has come. */
export interface ProgressEvent {
  readonly kind: "progress";
  /** One line for a user. */
  readonly message: string;
  /** Rises while the call runs; `total` is what it rises to. Both in the unit of the tool, absent where it is unknown. */
  readonly progress?: number;
  readonly total?: number;
}

/** Something that a user should know and that is not progress. */
export interface NoticeEvent {
  readonly kind: "notice";
  readonly message: string;
}

/** The call has started a background command, or its command continues in the background. */
export interface JobStartedEvent {
  readonly kind: "job-started";
  readonly job: string;
  readonly command: string;
}

/** The call has found that a background command is over. "lost": its state cannot be determined. */
export interface JobEndedEvent {
  readonly kind: "job-ended";
  readonly job: string;
  readonly status: "ended" | "lost";
}

/** One event of a call. */
export type ToolEvent = OutputEvent | ProgressEvent | NoticeEvent | JobStartedEvent | JobEndedEvent;

/** An event with the id of its call. */
export type CallEvent = ToolEvent & { readonly callId: string };
