import {
  type Claim,
  type ClaimContext,
  DEFAULT_PANE,
  defineTool,
  HaftError,
  ok,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import {
  delayOf,
  fromPane,
  paneOf,
  pauseFor,
  refuseWithoutTerminal,
  requireTerminal,
} from "../shared/terminal-access.js";
import {
  CAPTURE_PANE_LIMITS,
  type CapturePaneData,
  type CapturePaneInput,
  type CapturePaneLimits,
  capturePaneSchema,
} from "./contract.js";

/** Time for the capture itself. */
const CAPTURE_MS = 30_000;

/**
 * Returns the text of a pane as it is on the screen, with its state. Whatever a program prints may be in it, so that it counts as
 * untrusted. Fails with `BACKEND_UNSUPPORTED` or `TERMINAL_PANE_GONE`.
 */
export const capturePaneTool = defineTool({
  name: "capture_pane",
  description: "Show the screen of a terminal pane, and whether its shell waits for a command.",
  input: capturePaneSchema,
  effect: "read",
  limits: CAPTURE_PANE_LIMITS,
  deadlineMs: (input: CapturePaneInput, limits: CapturePaneLimits) => delayOf(input, limits) + CAPTURE_MS,
  annotations: { title: "Show a pane", idempotent: true },
  claims: (input: CapturePaneInput, context) =>
    refuseWithoutTerminal("show a pane", context) ?? claimsOf(input, context),
  run: capture,
});

function claimsOf(input: CapturePaneInput, { limits }: ClaimContext<CapturePaneLimits>): readonly Claim[] {
  const ids = new Set([paneOf(input), ...(limits.retargets ? [DEFAULT_PANE] : [])]);
  return [...ids].map((id) => ({ kind: "pane", action: "read", id }));
}

async function capture(
  input: CapturePaneInput,
  ctx: ToolContext<CapturePaneLimits>,
): Promise<ToolResult<CapturePaneData>> {
  await pauseFor(delayOf(input, ctx.limits), ctx);
  const { from, to, join = true, trailing = false, alternate = false, escapes = false } = input;
  const options = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    join,
    trailing,
    alternate,
    escapes,
    escapeNonPrintable: input.escapeNonPrintable ?? escapes,
  };
  const terminal = requireTerminal(ctx);
  const asked = paneOf(input);
  let missing: string | undefined;
  const { text, state, fellBack } = await terminal.capture(asked, options).catch((thrown: unknown) => {
    const isGone = HaftError.is(thrown) && thrown.code === "TERMINAL_PANE_GONE";
    if (!isGone || !ctx.limits.retargets || asked === DEFAULT_PANE) throw thrown;
    missing = asked;
    return terminal.capture(DEFAULT_PANE, options);
  });
  const data = { text, state, fellBack, ...(missing === undefined ? {} : { missing }) };
  return ok(data, { structured: { ...state, fellBack }, ...fromPane(state) });
}
