/** A backend over a POSIX shell at the other end of a byte pipe. */
import { setMaxListeners } from "node:events";
import {
  type Backend,
  type BackendFlags,
  type BoundCall,
  closedBackend,
  type Grant,
  HaftError,
  type Io,
  type Ports,
  type SessionEnd,
  SessionJobs,
} from "../../kernel/index.js";
import { type OpenChannel, processChannel } from "./channel/channel.js";
import { RemoteAgent } from "./channel/remote-agent.js";
import { FsGuard } from "./fs/guard.js";
import { PosixFs } from "./fs/posix-fs.js";
import { TogetherReader } from "./fs/read-together.js";
import { TogetherResolver } from "./fs/resolve-together.js";
import { RemoteJobTable } from "./jobs/job-table.js";
import { POSIX_DEFAULTS, type PosixBackendOptions } from "./options.js";
import { PosixSearch, type SearchPrograms } from "./search/posix-search.js";
import { RemoteRipgrepFinder } from "./search/ripgrep-finder.js";
import { ownCommands } from "./shell/own-command.js";
import { PosixShell } from "./shell/posix-shell.js";
import type { Transport } from "./transport.js";

/**
 * Opens a backend over a remote shell. The remote machine needs only `sh`, `cat`, `dd`, `mkdir`,
 * `mv`, `rm` and `kill`, and `stat -c` or `ls -n`. Other programs are detected once and used.
 *
 * The next operation reopens a lost channel. Commands that were running continue for `orphanMs`; their
 * results report what is known, and only a command that did not begin is started again.
 *
 * @throws `BACKEND_UNAVAILABLE` when no remote shell answers, `CONFIG_INVALID` for an empty command.
 */
export async function createPosixBackend(options: PosixBackendOptions): Promise<Backend> {
  const { name, open } = options;
  const commandShell = options.commandShell ?? POSIX_DEFAULTS.commandShell;
  const transport = isTransport(open) ? open : undefined;
  const remote = await RemoteAgent.open({
    name,
    open: channelsOf(open, commandShell),
    shellAdvice: transport?.shellAdvice,
    commandShell,
    orphanMs: options.orphanMs ?? POSIX_DEFAULTS.orphanMs,
    leaseMs: options.leaseMs ?? POSIX_DEFAULTS.leaseMs,
    connectTimeoutMs: options.connectTimeoutMs ?? POSIX_DEFAULTS.connectTimeoutMs,
    maxWorkers: options.maxCommands ?? POSIX_DEFAULTS.maxCommands,
    maxBulkChannels: options.maxBulkChannels ?? POSIX_DEFAULTS.maxBulkChannels,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: checkedVariables(options.env) }),
    ...(options.stateDir === undefined ? {} : { stateDir: options.stateDir }),
  });
  return new PosixBackend({ ...options, machine: options.machine ?? transport?.machine ?? name }, remote, transport);
}

/** @throws `CONFIG_INVALID` */
function checkedVariables(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const wrong = Object.keys(env).find(
    (key) => !/^(?!hf_)[a-zA-Z_][a-zA-Z0-9_]*$/.test(key) || env[key]!.includes("\0"),
  );
  if (wrong === undefined) return env;
  const why = "its name is not one of a variable or begins with hf_, or its value has a NUL";
  throw new HaftError("CONFIG_INVALID", `Cannot set the variable ${JSON.stringify(wrong)} for commands: ${why}.`);
}

function channelsOf(open: PosixBackendOptions["open"], commandShell: readonly string[]): OpenChannel {
  if (typeof open === "function") return open;
  if (!isTransport(open)) return processChannel(open);
  const { env, explain } = open;
  const start = processChannel(open.command(commandShell), {
    ...(env === undefined ? {} : { env }),
    ...(explain === undefined ? {} : { explain: explain.bind(open) }),
  });
  return async () => {
    await open.prepare?.();
    return start();
  };
}

function isTransport(open: PosixBackendOptions["open"]): open is Transport {
  return typeof open === "object" && "command" in open;
}

const FLAGS = Object.freeze({
  processes: true,
  signals: false,
  symlinks: true,
  jobs: true,
  terminal: false,
} satisfies BackendFlags);

class PosixBackend implements Backend {
  readonly name: string;
  readonly machine: string;
  readonly flags: BackendFlags = FLAGS;
  readonly guard: "pinned" | "checked";
  readonly home: string;
  readonly cwd: string;
  readonly realCwd: string;
  readonly root: Backend["root"];
  readonly #remote: RemoteAgent;
  readonly #transport: Transport | undefined;
  readonly #jobs: RemoteJobTable;
  readonly #programs: SearchPrograms;
  readonly #together: TogetherReader;
  readonly #resolver: TogetherResolver;
  readonly #sessions: SessionJobs;
  #closing: Promise<{ readonly left: readonly string[] }> | undefined;

  constructor(
    {
      name,
      machine,
      useRipgrep = true,
      copyRipgrep = false,
    }: Pick<PosixBackendOptions, "name" | "useRipgrep" | "copyRipgrep"> & {
      readonly machine: string;
    },
    remote: RemoteAgent,
    transport: Transport | undefined,
  ) {
    const { facts, home, cwd, realCwd } = remote.place;
    this.name = name;
    this.machine = machine;
    this.#remote = remote;
    this.#transport = transport;
    this.#jobs = new RemoteJobTable(remote);
    this.home = home;
    this.cwd = cwd;
    this.realCwd = realCwd;
    // Without these a name is checked in one step and used in the next.
    this.guard = facts.has("mvT") && facts.has("stat") && facts.has("proc") ? "pinned" : "checked";
    this.#together = new TogetherReader(remote.bulk);
    this.#resolver = new TogetherResolver(remote.bulk);
    this.root = Object.freeze({
      fs: new PosixFs(new FsGuard(remote.bulk), remote.place, this.#together, this.#resolver),
      shell: new PosixShell(name, remote, this.#jobs),
    });
    const start = ownCommands(remote, this.#jobs);
    const place = async () => {
      await remote.ensure();
      return remote.spoolPath === undefined ? undefined : { fs: this.root.fs, directory: remote.spoolPath };
    };
    const finder = new RemoteRipgrepFinder(start, copyRipgrep ? place : undefined);
    this.#programs = { start, ripgrep: useRipgrep ? finder : undefined };
    this.#sessions = new SessionJobs(this.root.shell);
  }

  bind(grant: Grant, call: BoundCall): Ports {
    if (this.#closing !== undefined) throw closedBackend(this.name);
    const bound = { grant, call };
    // Every operation in flight adds a listener.
    setMaxListeners(0, call.signal);
    const guard = new FsGuard(this.#remote.bulk, bound);
    return {
      fs: new PosixFs(guard, this.#remote.place, this.#together, this.#resolver),
      shell: this.#sessions.ofCall(new PosixShell(this.name, this.#remote, this.#jobs, bound), call.sessionId),
      search: new PosixSearch(this.#remote, this.#programs, guard, bound),
    };
  }

  state(): "open" | "reconnecting" | "closed" {
    return this.#closing === undefined ? this.#remote.state : "closed";
  }

  endSession(id: string): Promise<SessionEnd> {
    return this.#sessions.end(id);
  }

  close(_io?: Io): Promise<{ readonly left: readonly string[] }> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<{ readonly left: readonly string[] }> {
    await this.#jobs.close();
    const left = await this.#remote.close();
    await this.#transport?.close?.();
    return { left: left.map((pid) => `process ${pid} on "${this.name}"`) };
  }
}
