/** Background commands on a target with a terminal: typed into a pane, where the user sees them and may take over. */
import { DEFAULT_PANE, HaftError, ok, type PaneState, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { requireTerminal } from "../shared/terminal-access.js";
import type { BashData, BashInput, BashLimits, StreamData } from "./contract.js";

type Ctx = ToolContext<BashLimits>;

/** A command with stdin becomes a job: nothing but what is typed reaches the stdin of a pane. */
export function goesIntoPane(
  { background, input }: BashInput,
  { backend, limits }: Pick<Ctx, "backend" | "limits">,
): boolean {
  if (background !== true || backend.flags.terminal !== true) return false;
  return limits.background === "pane" || input === undefined;
}

/** Starts it in the default pane, or in a new one while that is busy. */
export async function dispatchToPane(input: BashInput, cwd: string, ctx: Ctx): Promise<ToolResult<BashData>> {
  const startedMs = ctx.clock.now();
  const terminal = requireTerminal(ctx);
  const dispatch = (pane: string) => terminal.dispatch(pane, input.command, { cwd });
  const { pane, session, notice } = await dispatch(DEFAULT_PANE).catch(async (thrown: unknown): Promise<PaneState> => {
    if (!HaftError.is(thrown) || thrown.code !== "TERMINAL_BUSY") throw thrown;
    return dispatch((await terminal.open({ cwd })).pane);
  });
  const dispatchedTo = { pane, session };
  const reported = notice === undefined ? {} : { notice };
  const data: BashData = {
    ended: "detached",
    began: "yes",
    exitCode: null,
    signal: null,
    stdout: NOTHING,
    stderr: NOTHING,
    survivors: [],
    tree: "unseen",
    endedBy: null,
    dispatchedTo,
    ...reported,
    detachedBy: "asked",
    timeoutMs: Math.floor(input.timeoutMs ?? ctx.limits.defaultTimeoutMs),
    durationMs: Math.max(0, Math.round(ctx.clock.now() - startedMs)),
  };
  const notes = ["`timeoutMs` does not apply in a pane; `send_keys` with the key C-c stops the command."];
  return ok(data, {
    structured: { ended: "detached", dispatchedTo, ...reported },
    ...(input.timeoutMs === undefined ? {} : { details: { notes } }),
  });
}

const NOTHING: StreamData = Object.freeze({ head: "", tail: "", notable: [], bytes: 0, omittedBytes: 0 });
