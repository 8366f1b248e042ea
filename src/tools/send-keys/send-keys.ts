import {
  type Claim,
  defineTool,
  fail,
  type Keys,
  keysAsText,
  ok,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { hasLoneSurrogate } from "../../text/index.js";
import {
  delayOf,
  fromPane,
  paneOf,
  pauseFor,
  refuseWithoutTerminal,
  requireTerminal,
} from "../shared/terminal-access.js";
import {
  SEND_KEYS_LIMITS,
  type SendKeysData,
  type SendKeysInput,
  type SendKeysLimits,
  sendKeysSchema,
} from "./contract.js";

/** Time for the keys themselves. */
const SEND_MS = 30_000;

/**
 * Types into a pane, for the program that reads it: first the text, then the keys, then Enter. Claims exactly what is typed. Fails
 * with `BACKEND_UNSUPPORTED`, `CALL_INVALID`, `TERMINAL_KEY` or `TERMINAL_PANE_GONE`.
 */
export const sendKeysTool = defineTool({
  name: "send_keys",
  description: "Type into a terminal pane: `text`, then `keys`, then Enter. `capture_pane` shows the result.",
  input: sendKeysSchema,
  effect: "write",
  limits: SEND_KEYS_LIMITS,
  deadlineMs: (input: SendKeysInput, limits: SendKeysLimits) => delayOf(input, limits) + SEND_MS,
  annotations: { title: "Type into a pane", destructive: true, openWorld: true },
  claims: (input: SendKeysInput, context) =>
    refuseWithoutTerminal("type anything", context) ?? refuseKeys(input) ?? claimsOf(input),
  run: send,
});

function claimsOf(input: SendKeysInput): readonly Claim[] {
  return [{ kind: "input", to: "pane", id: paneOf(input), text: keysAsText(keysOf(input)) }];
}

/** In the order in which they are typed. */
function keysOf({ text = "", keys = [], enter = false }: SendKeysInput): readonly Keys[] {
  return [
    ...(text === "" ? [] : [{ text }]),
    ...keys.map((key): Keys => ({ key })),
    ...(enter ? [{ key: "Enter" }] : []),
  ];
}

function refuseKeys(input: SendKeysInput): ToolResult<never> | undefined {
  const { text = "", keys = [] } = input;
  const problem = (
    [
      ["text", text.includes("\0"), "contains a NUL byte, which cannot be typed; the key `C-Space` sends one"],
      ["text", hasLoneSurrogate(text), "contains a lone surrogate (half a character); send whole characters"],
      ["keys", keys.some((key) => key.trim() === ""), "contains an empty name; send names such as C-c or Up"],
      ["keys", keysOf(input).length === 0, "is missing, and so are `text` and `enter`; send one of them"],
    ] as const
  ).find(([, isBad]) => isBad);
  if (problem === undefined) return undefined;
  const [parameter, , words] = problem;
  const sentence = `\`${parameter}\` ${words}`;
  return fail("CALL_INVALID", `Did not type anything: ${sentence}.`, { details: { parameter, problem: sentence } });
}

async function send(input: SendKeysInput, ctx: ToolContext<SendKeysLimits>): Promise<ToolResult<SendKeysData>> {
  await pauseFor(delayOf(input, ctx.limits), ctx);
  const state = await requireTerminal(ctx).send(paneOf(input), keysOf(input));
  return ok({ state }, { structured: { ...state }, ...fromPane(state) });
}
