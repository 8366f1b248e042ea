/** Helpers of the terminal cases. */
import {
  type BoundCall,
  type CaptureOptions,
  DEFAULT_PANE,
  type Grant,
  type GrantedCommand,
  PANE_ACTIONS,
  type PaneResult,
  type ShellOptions,
  type Terminal,
} from "../../kernel/index.js";
import { concatBytes } from "../../text/index.js";
import { shown } from "../case-setup.js";
import { expectEqual, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";

const KEEP = { head: 8 * 1024 * 1024, tail: 0 };
const DEADLINE_MS = 30_000;

export const PLAIN: CaptureOptions = {
  join: false,
  trailing: false,
  escapes: false,
  escapeNonPrintable: false,
  alternate: false,
};

/** The terminal of a call that may do everything with panes, and run what `grant` says. */
export function terminalOf(fixture: Fixture, grant: Partial<Grant> = {}, call?: Partial<BoundCall>): Terminal {
  const panes = [{ id: "*", actions: PANE_ACTIONS }];
  const { terminal } = bindAll(fixture, { files: [], panes, ...grant }, call);
  expectThat(terminal !== undefined, "the backend has a terminal");
  return terminal;
}

export type PaneRunOptions = Partial<ShellOptions> & {
  readonly pane?: string;
  readonly call?: Partial<BoundCall>;
  readonly real?: string;
};

/** Runs one command in the fixture's directory, claimed as it starts. */
export function runInPane(fixture: Fixture, command: string, options: PaneRunOptions = {}): Promise<PaneResult> {
  const { call, pane = DEFAULT_PANE, real, ...rest } = options;
  const whole = { cwd: fixture.directory, keep: KEEP, timeoutMs: DEADLINE_MS, ...rest };
  const claim: GrantedCommand = {
    command,
    cwd: whole.cwd,
    ...(rest.env === undefined ? {} : { env: rest.env }),
    ...(rest.input === undefined ? {} : { input: shown(rest.input) }),
    ...(real === undefined ? {} : { real }),
  };
  const running = terminalOf(fixture, { commands: [claim] }, call).run(pane, command, whole);
  // A case may do something else before it awaits this: until then a rejection is not an unhandled one.
  running.catch(() => {});
  return running;
}

/** Dispatches a command to a pane; one of its own by default, which is closed by `closePanes`. */
export async function dispatchTo(fixture: Fixture, pane: string, command: string): Promise<void> {
  const cwd = fixture.directory;
  await terminalOf(fixture, { commands: [{ command, cwd }] }).dispatch(pane, command, { cwd });
}

export function paneOutput({ stdout }: PaneResult): string {
  return shown(concatBytes([stdout.head, stdout.tail]));
}

/** Fails unless the command ended by itself with this code and printed this. */
export function expectPaneRun(result: PaneResult, code: number, output: string, what: string): void {
  expectEqual(
    [result.began, result.ended, result.exit, result.problem],
    ["yes", "itself", { by: "code", code }, undefined],
    `${what} (output: ${paneOutput(result).slice(0, 300)})`,
  );
  const got = paneOutput(result);
  expectThat(
    got === output,
    `${what} prints ${JSON.stringify(output.slice(0, 200))}, got ${JSON.stringify(got.slice(0, 200))}`,
  );
}

/** Fails unless the default pane runs commands. */
export async function expectUsable(fixture: Fixture, pane?: string): Promise<void> {
  const result = await runInPane(fixture, "echo usable", pane === undefined ? {} : { pane });
  expectPaneRun(result, 0, "usable\n", "the next command");
}

/** The text of a pane once it contains `text`. */
export async function captureWith(
  fixture: Fixture,
  pane: string,
  text: string,
  options: Partial<CaptureOptions> = {},
): Promise<string> {
  const terminal = terminalOf(fixture);
  const until = fixture.clock.now() + DEADLINE_MS;
  for (;;) {
    const capture = await terminal.capture(pane, { ...PLAIN, ...options });
    if (capture.text.includes(text)) return capture.text;
    expectThat(fixture.clock.now() < until, `the pane shows "${text}", got ${JSON.stringify(capture.text.trim())}`);
    await new Promise<void>((resolve) => fixture.clock.timer(20, resolve));
  }
}
