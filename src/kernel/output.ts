/** The output budget: the maximum size of an answer, and the notice where text was omitted. */
import { truncateToHead, truncateToTail, utf8Length } from "../text/index.js";

/** The part of a truncated text that is kept: its head, its tail, or (middle) both ends. */
type ClipEnd = "head" | "tail" | "middle";

/** `kind` is the part of the text that is kept. */
export interface OutputBudget {
  readonly kind: ClipEnd;
  /** UTF-8 bytes of kept text, without the notice. */
  readonly maxBytes: number;
  /** The notice at the truncation. Default `defaultNotice`. */
  notice?(omittedBytes: number): string;
}

/** UTF-8 bytes of text in an answer unless the context says otherwise: 64 KiB. */
const STANDARD_BUDGET_BYTES = 65_536;

/** The notice at the truncation if the budget has none. */
export function defaultNotice(omittedBytes: number): string {
  return `\n… trimmed ${omittedBytes} byte${omittedBytes === 1 ? "" : "s"} to fit the window …\n`;
}

/** The default budget of a context: both ends of a text, 64 KiB in total. */
export function standardBudget(): OutputBudget {
  return {
    kind: "middle",
    maxBytes: STANDARD_BUDGET_BYTES,
    notice: (omittedBytes) => `\n[${omittedBytes} bytes elided to stay within the output ceiling]\n`,
  };
}

/** As `clamp`, with sizes: `omittedBytes` is 0 if the text is unchanged. */
export function clampWithCount(
  text: string,
  budget: OutputBudget,
): { readonly text: string; readonly omittedBytes: number; readonly keptBytes: number } {
  const total = utf8Length(text);
  if (total <= budget.maxBytes) return { text, omittedBytes: 0, keptBytes: total };
  const notice = budget.notice ?? defaultNotice;
  if (budget.kind === "head") {
    const head = truncateToHead(text, budget.maxBytes);
    return { text: head.text + notice(head.omittedBytes), omittedBytes: head.omittedBytes, keptBytes: head.keptBytes };
  }
  if (budget.kind === "tail") {
    const tail = truncateToTail(text, budget.maxBytes);
    return { text: notice(tail.omittedBytes) + tail.text, omittedBytes: tail.omittedBytes, keptBytes: tail.keptBytes };
  }
  const half = Math.floor(budget.maxBytes / 2);
  const head = truncateToHead(text, half);
  const tail = truncateToTail(text, budget.maxBytes - half);
  const keptBytes = head.keptBytes + tail.keptBytes;
  const omittedBytes = total - keptBytes;
  return { text: head.text + notice(omittedBytes) + tail.text, omittedBytes, keptBytes };
}

/** Truncates a text to a budget, between characters; a text within the budget is returned unchanged. */
export function clamp(text: string, budget: OutputBudget): string {
  return clampWithCount(text, budget).text;
}
