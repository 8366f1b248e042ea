/** From the events of a call to progress notifications. */
import type { ToolEvent } from "../../kernel/index.js";

/** Milliseconds between two notifications of one call: a command that prints fast must not flood its client. */
const PROGRESS_EVERY_MS = 100;
/** Milliseconds without a notification after which one tells that the call still runs: clients give up on a silent one. */
export const SILENCE_MS = 10_000;
const MESSAGE_CHARACTERS = 200;

export interface ProgressNotification {
  readonly method: "notifications/progress";
  readonly params: { readonly progressToken: string | number; readonly progress: number; readonly message: string };
}

/**
 * Takes the events of one call. The first is told at once; of those that follow closely only the latest is told, when its
 * time has come; where none come for `SILENCE_MS`, that the call still runs is. `progress` counts what there was to tell,
 * told or not, so it only grows. `end` forgets what has not been told.
 */
export function progressOf(
  progressToken: string | number,
  notify: (notification: ProgressNotification) => Promise<void>,
): { onEvent(event: ToolEvent): void; end(): void } {
  const beganMs = performance.now();
  let count = 0;
  let latest: ToolEvent | undefined;
  /** Waits for the next notification to be due: soon after one was told, else at the end of a silence. */
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
    // A client that is gone does not read progress, and the call's own end tells the rest.
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

/** Events say what happened in `data.text` or `data.message`, or by their kind alone. */
function messageOfEvent(event: ToolEvent): string {
  const data = event.data as { readonly message?: unknown; readonly text?: unknown } | null | undefined;
  const said = [data?.message, data?.text, event.data].find((one) => typeof one === "string" && one.trim() !== "");
  const message = typeof said === "string" ? said.trim() : event.kind;
  return message.length <= MESSAGE_CHARACTERS ? message : `…${message.slice(-MESSAGE_CHARACTERS)}`;
}
