import type { ToolPresenter } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import type { CapturePaneData, CapturePaneInput, CapturePaneLimits } from "../../tools/capture-pane/contract.js";
import { booleanArgument, omitUndefined, shownValue } from "../arguments.js";
import { newTruncations, textResult } from "../rendering.js";
import { renderPaneFailure } from "./failure-text.js";
import { missingPane, NO_ALTERNATE_SCREEN, truncatedStart } from "./messages.js";
import { MAX_DELAY_MS, paneArguments, paneProperties } from "./pane-arguments.js";

const CAPTURE_MAX_CHARACTERS = 8_000;

const line = { oneOf: [{ type: "string" }, { type: "integer" }] } as const;
const flag = (description: string) => ({ type: "boolean", default: false, description }) as const;

export const capturePanePresenter: ToolPresenter<CapturePaneInput, CapturePaneData, CapturePaneLimits> = {
  name: "capture-pane",
  description: `Capture the text of a tmux pane; of more than ${CAPTURE_MAX_CHARACTERS} characters the last are shown.`,
  parameters: {
    type: "object",
    properties: {
      target: paneProperties.target,
      start: { ...line, description: 'First line: 0 is the first visible, negative is history, "-" its start' },
      end: { ...line, description: 'Last line; "-" is the end of the visible area' },
      join_wrapped_lines: { type: "boolean", default: true, description: "Join wrapped lines" },
      preserve_trailing_spaces: flag("Keep spaces at the end of lines"),
      include_escape_sequences: flag("Keep ANSI escape sequences"),
      escape_non_printable: flag("Show non-printable characters as octal escapes"),
      include_alternate_screen: flag("The screen that a full-screen program has saved"),
      delay: paneProperties.delay,
      delay_ms: paneProperties.delay_ms,
    },
  },
  acceptsEmpty: ["delay"],
  limits: { maxDelayMs: MAX_DELAY_MS, retargets: true },
  decode(args) {
    const pane = paneArguments(args);
    if ("problem" in pane) return pane;
    const from = lineOf(args.start);
    const to = lineOf(args.end);
    for (const [parameter, value] of [
      ["start", from],
      ["end", to],
    ] as const)
      if (value === null)
        return {
          problem: `\`${parameter}\` was ${shownValue(args[parameter])}; it takes a line number or "-"`,
          parameter,
        };
    return {
      input: omitUndefined({
        ...pane.input,
        from: from ?? undefined,
        to: to ?? undefined,
        join: booleanArgument(args, "join_wrapped_lines") ?? true,
        trailing: booleanArgument(args, "preserve_trailing_spaces") ?? false,
        escapes: booleanArgument(args, "include_escape_sequences") ?? false,
        escapeNonPrintable: booleanArgument(args, "escape_non_printable") ?? false,
        alternate: booleanArgument(args, "include_alternate_screen") ?? false,
      }),
    };
  },
  render(result) {
    if (result.isError || result.data === undefined) return renderPaneFailure(result, "capture-pane");
    const { text, fellBack, state, missing } = result.data;
    const characters = [...text];
    const kept = characters.slice(-CAPTURE_MAX_CHARACTERS).join("");
    const omitted = characters.length - CAPTURE_MAX_CHARACTERS;
    const shown = omitted > 0 ? truncatedStart(omitted) + kept : text;
    const notice = fellBack ? `${shown === "" || shown.endsWith("\n") ? "" : "\n"}${NO_ALTERNATE_SCREEN}` : "";
    const truncation = {
      what: `characters of the pane ${state.pane} before the last ${CAPTURE_MAX_CHARACTERS}`,
      producedBytes: utf8Length(text),
      keptBytes: utf8Length(kept),
      next: "`start` and `end` choose other lines.",
    };
    const moved = missing === undefined ? "" : missingPane(missing, state.pane);
    return textResult(moved + shown + notice, {
      clamped: true,
      ...newTruncations(result, omitted > 0 ? [truncation] : []),
    });
  },
};

/** Null for what is not a line. */
function lineOf(value: unknown): number | "-" | null | undefined {
  if (value === undefined || value === "-") return value;
  const line = typeof value === "string" && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return typeof line === "number" && Number.isInteger(line) ? line : null;
}
