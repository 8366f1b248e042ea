/** Backends with panes of this machine, on tmux servers of a test's own, and what a test does there. */
import { execFileSync } from "node:child_process";
import { afterEach } from "vitest";
import { systemClock } from "../../host/index.js";
import {
  type Backend,
  DEFAULT_PANE,
  type GrantedCommand,
  PANE_ACTIONS,
  type PaneResult,
  type Terminal,
} from "../../kernel/index.js";
import { bindAll } from "../../testing/index.js";
import { createLocalBackend } from "../local/index.js";
import type { TmuxOptions } from "./options.js";
import { PANE_SHELLS, testPlace } from "./shells.fixture.js";
import { withTmux } from "./with-tmux.js";

const WAIT_MS = 30_000;

export const PLAIN = { join: false, trailing: false, escapes: false, escapeNonPrintable: false, alternate: false };

/** "login": the login shell, by $SHELL. Default: bash. */
type PaneOptions = Partial<Omit<TmuxOptions, "paneShell">> & {
  readonly paneShell?: readonly string[] | "login" | undefined;
};

/** Inside of a `describe`: what is opened is closed after each test, the last first. */
export function panesBench() {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** A backend, the directory of its tmux server once it runs, and what a call can do there. */
  function open(options: PaneOptions | ((place: ReturnType<typeof testPlace>) => PaneOptions) = {}) {
    const place = testPlace();
    const { paneShell = PANE_SHELLS.bash, ...more } = typeof options === "function" ? options(place) : options;
    closing.push(place.remove);
    const local = createLocalBackend({ cwd: place.directory, home: place.home });
    const backend: Backend = withTmux(local, {
      run: (argv) => argv,
      env: { PATH: process.env.PATH ?? "", HOME: place.home, TMUX_TMPDIR: place.directory },
      ...(paneShell === "login" ? {} : { paneShell }),
      ...more,
    });
    closing.push(() => backend.close());
    const terminal = (claim?: string | GrantedCommand): Terminal => {
      const command = typeof claim === "string" ? { command: claim, cwd: place.directory } : claim;
      const commands = command === undefined ? [] : [command];
      return bindAll({ backend, clock: systemClock }, { commands, panes: [{ id: "*", actions: PANE_ACTIONS }] })
        .terminal!;
    };
    const run = (command: string, timeoutMs = WAIT_MS, pane = DEFAULT_PANE): Promise<PaneResult> =>
      terminal(command).run(pane, command, { cwd: place.directory, timeoutMs });
    /** The private server of the default pane, as `tmux` arguments. */
    const server = async () => {
      const { stdout } = await run('printf "%s %s" "$(echo "$TMUX" | cut -d, -f1,2)" "$PPID"');
      const [socket = "", pid = ""] = text(stdout.head).replace(/,\d+ /, " ").split(" ");
      return {
        socket,
        pid: Number(pid),
        tmux: (...args: string[]) => execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8" }),
      };
    };
    return { backend, place, terminal, run, server };
  }
  /** A tmux server of a user, with the session "work". */
  const userTmux = () => {
    const place = testPlace();
    closing.push(place.remove);
    const env = { PATH: process.env.PATH ?? "", HOME: place.home, TMUX_TMPDIR: place.directory, TERM: "xterm" };
    const tmux = (...args: string[]) => execFileSync("tmux", args, { encoding: "utf8", env });
    tmux("-f", "/dev/null", "new-session", "-d", "-s", "work", "-x", "80", "-y", "24", "env", ...PANE_SHELLS.bash);
    closing.push(() => tmux("kill-server"));
    return { env, tmux };
  };
  return { open, closing, userTmux };
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error("It did not happen in time.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
