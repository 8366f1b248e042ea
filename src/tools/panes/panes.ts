import { type Claim, defineTool, fail, ok, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { fromPane, refuseWithoutTerminal, requireTerminal } from "../shared/terminal-access.js";
import { type PanesData, type PanesInput, panesSchema } from "./contract.js";

const MAX_NAME_LENGTH = 64;

/**
 * The panes of the target's terminal: listed, opened and closed. A new one starts a shell in the working directory; one that
 * belongs to somebody else is not closed. Fails with `BACKEND_UNSUPPORTED`, `CALL_INVALID`, `TERMINAL_PANE_GONE` or
 * `TERMINAL_NOT_OWNED`.
 */
export const panesTool = defineTool({
  name: "panes",
  description: "List, open or close terminal panes, which the user can watch.",
  input: panesSchema,
  effect: "write",
  annotations: { title: "Panes", destructive: true },
  claims: (input: PanesInput, context) =>
    refuseWithoutTerminal(`${input.action} a pane`, context) ?? refuse(input) ?? [claimOf(input)],
  run: act,
});

function refuse({ action, pane = "", name = "" }: PanesInput): ToolResult<never> | undefined {
  const isMissing = action === "close" && pane === "";
  const isBadName = name.length > MAX_NAME_LENGTH || showControls(name) !== name;
  if (!isMissing && !isBadName) return undefined;
  const parameter = isMissing ? "pane" : "name";
  const problem = isMissing
    ? "`pane` is missing; `close` takes the id of a pane, which `list` shows"
    : `\`name\` is not a title; send at most ${MAX_NAME_LENGTH} printable characters`;
  return fail("CALL_INVALID", `Did not ${action} a pane: ${problem}.`, { details: { parameter, problem } });
}

function claimOf({ action, pane }: PanesInput): Claim {
  return { kind: "pane", action, ...(action === "close" && pane !== undefined ? { id: pane } : {}) };
}

async function act({ action, pane = "", name }: PanesInput, ctx: ToolContext): Promise<ToolResult<PanesData>> {
  const terminal = requireTerminal(ctx);
  if (action === "close") {
    await terminal.close(pane);
    const data: PanesData = { action, panes: [], closed: pane };
    return ok(data, { structured: { action, closed: pane } });
  }
  const open = async () => [await terminal.open({ cwd: ctx.cwd, ...(name === undefined ? {} : { name }) })];
  const panes = action === "open" ? await open() : await terminal.list();
  const [first] = panes;
  const command = action === "list" ? await terminal.attachCommand?.() : undefined;
  const shown = command === undefined ? {} : { attachCommand: command };
  return ok(
    { action, panes, ...shown },
    {
      structured: { action, panes: panes.map((one) => ({ ...one })), ...shown },
      ...(first === undefined ? {} : fromPane(first)),
    },
  );
}
