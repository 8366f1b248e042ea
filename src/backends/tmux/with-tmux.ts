import { setMaxListeners } from "node:events";
import { baseEnvironment } from "../../host/index.js";
import {
  type Backend,
  type BoundCall,
  closedBackend,
  DEFAULT_PANE,
  type Grant,
  HaftError,
  type Io,
  type Ports,
  type Shell,
} from "../../kernel/index.js";
import { ClaimQueue } from "./claim-queue.js";
import type { TmuxOptions } from "./options.js";
import { PaneEvents } from "./pane-events.js";
import type { PaneMachine } from "./pane-machine.js";
import { Panes } from "./panes.js";
import { currentPane, TmuxServer } from "./tmux-server.js";
import { TmuxTerminal } from "./tmux-terminal.js";

/** Variables by which tmux finds the server of the user. */
const TMUX_VARIABLES = ["TMUX_TMPDIR"];

/**
 * Adds a `Terminal` to a backend. tmux starts with the first use of it. Files and searches remain those of the backend.
 *
 * @throws `CONFIG_INVALID` for `current` outside of tmux or on another machine, and on a backend with a sandbox.
 */
export function withTmux(backend: Backend, options: TmuxOptions): Backend {
  requirePossible(backend, options);
  const isLocal = backend.machine === "local";
  const env =
    options.env ?? (isLocal ? baseEnvironment(process.env, TMUX_VARIABLES, { TERM: "xterm-256color" }) : undefined);
  const events = new PaneEvents();
  const server = new TmuxServer(backend, env === undefined ? options : { ...options, env }, events);
  const panes = new Panes(server, events, options.maxPanes);
  const on: PaneMachine = { backend, server, panes, events, running: new Set(), queue: new ClaimQueue() };
  return tmuxBackend(on, options.shell === "pane");
}

function tmuxBackend(on: PaneMachine, isPaneShell: boolean): Backend {
  const { backend, server } = on;
  const { root, endSession } = backend;
  const { name } = server;
  const closing = new AbortController();
  // Each command adds a listener.
  setMaxListeners(0, closing.signal);
  let closed: Promise<{ readonly left: readonly string[] }> | undefined;
  const requireOpen = () => {
    if (closed !== undefined) throw closedBackend(name);
  };
  return {
    name,
    machine: backend.machine,
    flags: Object.freeze({
      ...backend.flags,
      terminal: true,
      ...(isPaneShell ? { detach: false, signals: false } : {}),
    }),
    guard: backend.guard,
    home: backend.home,
    cwd: backend.cwd,
    ...(backend.realCwd === undefined ? {} : { realCwd: backend.realCwd }),
    ...(backend.commandLanguage === undefined ? {} : { commandLanguage: backend.commandLanguage }),
    root,
    ...(endSession === undefined ? {} : { endSession: (id, options) => endSession.call(backend, id, options) }),
    bind(grant: Grant, call: BoundCall): Ports {
      requireOpen();
      const ports = backend.bind(grant, call);
      const terminal = new TmuxTerminal(on, requireOpen, closing.signal, { grant, call });
      return { ...ports, shell: isPaneShell ? paneShell(ports.shell, terminal) : ports.shell, terminal };
    },
    state: () => (closed === undefined ? backend.state() : "closed"),
    async startTerminal() {
      requireOpen();
      return server.start();
    },
    close(io?: Io) {
      if (closed === undefined) {
        closing.abort();
        closed = closeAll(on, io);
      }
      return closed;
    },
  };
}

async function closeAll(on: PaneMachine, io?: Io): Promise<{ readonly left: readonly string[] }> {
  const { backend, panes, server } = on;
  await Promise.allSettled(on.running);
  const left = server.opened() === undefined ? [] : await panes.closeAll().catch(() => []);
  await server.close();
  const base = await backend.close(io);
  return { left: [...base.left, ...left] };
}

/** Commands run in the default pane; jobs are those of the backend. */
function paneShell(base: Shell, terminal: TmuxTerminal): Shell {
  return {
    exec: (command, options) => terminal.run(DEFAULT_PANE, command, options),
    spawn: (command, options) => base.spawn(command, options),
    attach: (id) => base.attach(id),
    jobs: (options) => base.jobs(options),
  };
}

function requirePossible(backend: Backend, { current, session }: TmuxOptions): void {
  const problem = problemOf(backend, current === true, session);
  if (problem !== undefined) throw new HaftError("CONFIG_INVALID", `Cannot use tmux on "${backend.name}": ${problem}.`);
  if (current === true) currentPane();
}

function problemOf(backend: Backend, isCurrent: boolean, session: string | undefined): string | undefined {
  if (backend.flags.sandbox === true) return "a pane would run outside of the sandbox. Use one of the two";
  if (isCurrent && backend.machine !== "local") return "the current pane is on this machine. Name a session there";
  if (isCurrent && session !== undefined) return "`current` and a session exclude each other. Use one of the two";
  return session === undefined ? undefined : nameProblem(session);
}

function nameProblem(name: string): string | undefined {
  if (/^[A-Za-z0-9_@+][\w@+ -]{0,99}$/.test(name)) return undefined;
  return `"${name}" is not a session name. Use letters, digits, "-" and "_"`;
}
