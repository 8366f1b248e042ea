/** What the tools for panes share: the terminal of the target, the pane that is meant, and a pause before the call acts. */
import {
  type ClaimContext,
  DEFAULT_PANE,
  fail,
  HaftError,
  type PaneState,
  type Provenance,
  type Terminal,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";

/** Refuses a call on a target without a terminal. @param what - What was not done, as "show a pane". */
export function refuseWithoutTerminal(
  what: string,
  { backend }: Pick<ClaimContext, "backend">,
): ToolResult<never> | undefined {
  return backend.flags.terminal === true ? undefined : unsupported(what, backend);
}

/** @throws `BACKEND_UNSUPPORTED` */
export function requireTerminal(ctx: Pick<ToolContext, "terminal" | "backend">): Terminal {
  if (ctx.terminal !== undefined) return ctx.terminal;
  const { message = "", details = {} } = unsupported("use a pane", ctx.backend);
  throw new HaftError("BACKEND_UNSUPPORTED", message, { details });
}

function unsupported(what: string, { name, terminals = [] }: ClaimContext["backend"]): ToolResult<never> {
  const next =
    terminals.length === 0
      ? 'The user adds one with "+tmux" after its name'
      : `Send \`on\`: ${terminals.map((one) => `"${one}"`).join(" or ")}`;
  const message = `Did not ${what}: the target "${name}" has no terminal. ${next}.`;
  return fail("BACKEND_UNSUPPORTED", message, { details: { backend: name, feature: "terminal" } });
}

/** The pane that a call means. */
export function paneOf({ pane }: { readonly pane?: string }): string {
  return pane === undefined || pane === "" ? DEFAULT_PANE : pane;
}

/** Whatever a program prints can be in a pane, and in its title. */
export function fromPane({ pane, session }: Pick<PaneState, "pane" | "session">): { readonly provenance: Provenance } {
  return { provenance: { from: "pane", ref: `${session} ${pane}` } };
}

/** Milliseconds that the call waits before it acts, within the limit. */
export function delayOf(
  { delayMs = 0 }: { readonly delayMs?: number },
  { maxDelayMs }: { readonly maxDelayMs: number },
): number {
  return Math.min(Math.max(0, delayMs), maxDelayMs);
}

/** Waits before the call acts. A cancelled call does not act. */
export function pauseFor(ms: number, { clock, signal }: Pick<ToolContext, "clock" | "signal">): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = clock.timer(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    function onAbort() {
      stop();
      reject(signal.reason);
    }
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
