/** Sends progress notifications for the events of a call. */
import type { ToolEvent } from "../../kernel/index.js";

/** Minimum milliseconds between two notifications of one call, so that a command that prints fast does not flood its client. */
const PROGRESS_EVERY_MS = 100;
/** Milliseconds without a notification after which a keep-alive is sent: clients time out a call without progress. */
export const SILENCE_MS = 10_000;
const MESSAGE_CHARACTERS = 200;

export interface ProgressNotification {
  readonly method: "notifications/progress";
  readonly params: { readonly progressToken: string | number; readonly progress: number; readonly message: string };
}

/**
 * Handles the events of one call. The first is sent at once; of events in quick succession only the latest is sent. After
 * `SILENCE_MS` without an event, a keep-alive is sent. `progress` counts all events, sent or not, so it always increases. `end`
 * discards what has not been sent.
 */
export function progressOf(
  progressToken: string | number,
  notify: (notification: ProgressNotification) => Promise<void>,
): { onEvent(event: ToolEvent): void; end(): void } {
  const beganMs = performance.now();
  let count = 0;
  let latest: ToolEvent | undefined;
  /** Fires when the next notification may be sent, or when a keep-alive is due. */
  let timer: NodeJS.Timeout | undefined;
  let maySend = true;

  const later = (ms: number, next: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(next, ms);
    timer.unref();
  };

  const send = (message: string): void => {
    maySend = false;
    later(PROGRESS_EVERY_MS, rested);
    // A failed notification does not matter: the result of the call follows.
    notify({ method: "notifications/progress", params: { progressToken, progress: count, message } }).catch(() => {});
  };

  const sendLatest = (event: ToolEvent): void => {
    latest = undefined;
    send(messageOfEvent(event));
  };

  const rested = (): void => {
    maySend = true;
    if (latest !== undefined) sendLatest(latest);
    else later(SILENCE_MS - PROGRESS_EVERY_MS, stillRuns);
  };

  const stillRuns = (): void => {
    count += 1;
    send(`still running after ${Math.round((performance.now() - beganMs) / 1000)} s`);
  };

  later(SILENCE_MS, stillRuns);
  return {
    onEvent(event) {
      count += 1;
      if (maySend) sendLatest(event);
      else latest = event;
    },
    end() {
      clearTimeout(timer);
      maySend = false;
      latest = undefined;
    },
  };
}

/** One short text for a client: of a long one, its end. */
function messageOfEvent(event: ToolEvent): string {
  const message = textOfEvent(event).trim() || event.kind;
  return message.length <= MESSAGE_CHARACTERS ? message : `…${message.slice(-MESSAGE_CHARACTERS)}`;
}

function textOfEvent(event: ToolEvent): string {
  switch (event.kind) {
    case "output":
      return event.bytes.length === 0
        ? `${event.stream}: ${event.offset} bytes so far`
        : new TextDecoder().decode(event.bytes);
    case "progress":
    case "notice":
      return event.message;
    case "job-started":
      return `job ${event.job} started: ${event.command}`;
    case "job-ended":
      return `job ${event.job} ${event.status === "ended" ? "ended" : "is lost"}`;
    default:
      return event satisfies never;
  }
}
