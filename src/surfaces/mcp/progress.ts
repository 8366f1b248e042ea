/** From the events of a call to progress notifications. */
import type { ToolEvent } from "../../kernel/index.js";

/** Milliseconds between two notifications of one call: a command that prints fast must not flood its client. */
const PROGRESS_EVERY_MS = 100;
const MESSAGE_CHARACTERS = 200;

export interface ProgressNotification {
  readonly method: "notifications/progress";
  readonly params: { readonly progressToken: string | number; readonly progress: number; readonly message: string };
}

/**
 * Takes the events of one call. The first is told at once; of those that follow closely only the latest is told, when its
 * time has come. `progress` counts the events, told or not. `end` forgets what has not been told.
 */
export function progressOf(
  progressToken: string | number,
  notify: (notification: ProgressNotification) => Promise<void>,
): { onEvent(event: ToolEvent): void; end(): void } {
  let count = 0;
  let latest: ToolEvent | undefined;
  let timer: NodeJS.Timeout | undefined;

  const tell = (): void => {
    timer = undefined;
    if (latest === undefined) return;
    const message = messageOfEvent(latest);
    latest = undefined;
    timer = setTimeout(tell, PROGRESS_EVERY_MS);
    timer.unref();
    // A client that is gone does not read progress, and the call's own end tells the rest.
    notify({ method: "notifications/progress", params: { progressToken, progress: count, message } }).catch(() => {});
  };

  return {
    onEvent(event) {
      count += 1;
      latest = event;
      if (timer === undefined) tell();
    },
    end() {
      clearTimeout(timer);
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
