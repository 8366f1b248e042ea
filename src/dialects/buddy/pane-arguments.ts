/** The arguments that the tools for panes share: which pane, and how long to wait before. */
import { numberArgument, shownValue, textArgument } from "../arguments.js";
import { durationMs } from "./wait-duration.js";

/** BD-045: the longest. */
export const MAX_DELAY_MS = 3_600_000;

export const paneProperties = {
  target: { type: "string", description: "tmux pane; default: the active pane" },
  delay: { type: "string", description: 'Wait before, such as "2s", "500ms" or "1m"; bare digits are seconds' },
  delay_ms: { type: "integer", description: "The same in milliseconds" },
} as const;

/** BD-074 */
const DEFAULT_NAMES: ReadonlySet<string> = new Set(["default", "shared", "shared-pane", "default-pane"]);

type PaneArguments =
  | { readonly input: { readonly pane?: string; readonly delayMs?: number } }
  | { readonly problem: string; readonly parameter: string };

export function paneArguments(args: Readonly<Record<string, unknown>>): PaneArguments {
  const target = textArgument(args, "target")?.trim() ?? "";
  const delay = args.delay === undefined ? numberArgument(args, "delay_ms") : durationMs(args.delay);
  if (args.delay !== undefined && delay === undefined) {
    const accepted = 'a duration like "500ms", "2s", "1m" or "1h", or bare digits for seconds';
    return { problem: `\`delay\` was ${shownValue(args.delay)}; it takes ${accepted}`, parameter: "delay" };
  }
  if (delay !== undefined && (delay < 0 || delay > MAX_DELAY_MS)) {
    const parameter = args.delay === undefined ? "delay_ms" : "delay";
    return { problem: `\`${parameter}\` must be 0 to ${MAX_DELAY_MS} milliseconds`, parameter };
  }
  return {
    input: {
      ...(target === "" || DEFAULT_NAMES.has(target.toLowerCase()) ? {} : { pane: target }),
      ...(delay === undefined ? {} : { delayMs: delay }),
    },
  };
}
