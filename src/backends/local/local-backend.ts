import { setMaxListeners } from "node:events";
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  baseEnvironment,
  currentDirectory,
  homeDirectory,
  PipePool,
  systemClock,
  takeReports,
  Watcher,
} from "../../host/index.js";
import {
  type Backend,
  type BackendFlags,
  DEFAULT_GRACE_MS,
  type Fs,
  HaftError,
  type Io,
  SessionJobs,
  type Shell,
} from "../../kernel/index.js";
import type { Backups } from "./fs/in-place-backup.js";
import { LocalFs, localFsTools } from "./fs/local-fs.js";
import { type GuardMode, guardMode } from "./fs/pinned-directory.js";
import type { HostCrashReport } from "./jobs/host-crash-report.js";
import { JobStore } from "./jobs/job-store.js";
import type { Launcher } from "./launcher.js";
import { createLocalSearch } from "./search/create-local-search.js";
import { CommandHost } from "./shell/command-host.js";
import { LocalShell } from "./shell/local-shell.js";

export interface LocalBackendOptions {
  /** The working directory, absolute. Default: that of this process. */
  readonly cwd?: string;
  /** Default: the home directory of the user. */
  readonly home?: string;
  /** Environment variables for commands; they override the default ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables of this process that commands inherit, beside the default few, or all of them. */
  readonly passEnv?: readonly string[] | "all";
  /**
   * A directory for state that the next start reads: reports of the watcher, jobs, and backups of files that are
   * overwritten in place. Absent: nothing is reported, and backups are stored beside the file.
   */
  readonly stateDir?: string;
  /** Whether a watcher ends running commands when this process is killed. Default true; it starts with the first command. */
  readonly watcher?: boolean;
  /** The search engine: ripgrep if it is available, or always the built-in one. Default "ripgrep". */
  readonly search?: "ripgrep" | "own";
  /** Confines commands, and file tools to the same files. Absent: neither is confined. */
  readonly launcher?: Launcher;
  /** Default "local". */
  readonly name?: string;
}

export interface LocalBackend extends Backend {
  /**
   * What watchers of earlier hosts ended after these were killed, and which jobs, each reported once; and the files that such a
   * host left half-written, reported once by each backend. Empty without `stateDir`.
   */
  takeReports(): readonly HostCrashReport[];
}

const FLAGS = Object.freeze({
  processes: process.platform === "linux",
  signals: true,
  symlinks: true,
  jobs: true,
  detach: true,
} satisfies BackendFlags);

/**
 * This machine: its files, commands and search. Opens nothing until it is used.
 *
 * @throws `BACKEND_UNAVAILABLE` without `cwd` where the current directory of this process was deleted.
 */
export function createLocalBackend(options: LocalBackendOptions = {}): LocalBackend {
  const cwd = options.cwd ?? requireCurrentDirectory();
  const mode = guardMode();
  const home = options.home ?? homeDirectory();
  const reports = options.stateDir === undefined ? undefined : join(options.stateDir, "watcher");
  const { host, watcher } = createHost(options, home, reports, mode);
  const requireOpen = () => host.requireOpen();
  const { launcher, name = "local" } = options;
  const refusal = launcher?.refusal.bind(launcher);
  const fsTools = localFsTools(mode, options.stateDir, requireOpen, refusal);
  const searchOf = createLocalSearch({
    mode,
    clock: systemClock,
    engine: options.search ?? "ripgrep",
    workspace: cwd,
    requireOpen,
    refusal,
    hidden: launcher?.hidden ?? [],
    ...(watcher === undefined ? {} : { watch: watcher }),
  });
  const root: { readonly fs: Fs; readonly shell: Shell } = Object.freeze({
    fs: new LocalFs(fsTools),
    shell: new LocalShell(host),
  });
  const sessions = new SessionJobs(root.shell);
  let state: "open" | "closed" = "open";
  let closing: Promise<{ readonly left: readonly string[] }> | undefined;
  return {
    name,
    machine: "local",
    flags: launcher === undefined ? FLAGS : Object.freeze({ ...FLAGS, ...launcher.flags }),
    guard: mode,
    home,
    cwd,
    ...realCwdOf(cwd),
    bind(grant, call) {
      requireOpen();
      // Every operation in flight adds a listener.
      setMaxListeners(0, call.signal);
      return {
        fs: new LocalFs(fsTools, { grant, call }),
        shell: sessions.ofCall(new LocalShell(host, { grant, call }), call.sessionId),
        search: searchOf(grant, call),
      };
    },
    root,
    state: () => state,
    endSession: (id, options) => sessions.end(id, options),
    close(io?: Io) {
      state = "closed";
      closing ??= host.close(Math.min(DEFAULT_GRACE_MS, io?.timeoutMs ?? DEFAULT_GRACE_MS)).then((left) => ({ left }));
      return closing;
    },
    takeReports: () => [...takeCrashReports(host, reports), ...takeHalfWritten(fsTools.backups)],
  };
}

function requireCurrentDirectory(): string {
  const cwd = currentDirectory();
  if (cwd !== undefined) return cwd;
  throw new HaftError(
    "BACKEND_UNAVAILABLE",
    "Did not open the backend local: the current directory of this process was deleted or cannot be read. Pass a `workspace`, or start in an existing directory.",
    { details: { backend: "local" } },
  );
}

/** Why this path cannot be a workspace, with what to do; undefined for a directory of this machine. */
export function directoryProblem(path: string): string | undefined {
  const cause = absence(path);
  return cause && `Did not find the workspace "${path}": ${cause}. Pass an existing directory.`;
}

function absence(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "it is not a directory";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "no such directory" : (code ?? "it cannot be read");
  }
}

/** Resolved when the backend is created, so that a symlink that replaces `cwd` later leads out of it. */
function realCwdOf(cwd: string): Pick<Backend, "realCwd"> {
  try {
    return { realCwd: realpathSync.native(cwd) };
  } catch {
    return {};
  }
}

/** Creates what all commands share. @param reports - Directory for reports of the watcher. */
function createHost(options: LocalBackendOptions, home: string, reports: string | undefined, mode: GuardMode) {
  const pool = new PipePool();
  const watcher = options.watcher === false ? undefined : new Watcher(pool, reports);
  const host = new CommandHost({
    name: options.name ?? "local",
    pool,
    mode,
    launcher: options.launcher,
    env: baseEnvironment(process.env, options.passEnv ?? [], { HOME: home, ...options.env }),
    ...(watcher === undefined ? {} : { watcher }),
    ...(options.stateDir === undefined ? {} : { store: new JobStore(options.stateDir) }),
  });
  return { host, watcher };
}

function takeCrashReports(host: CommandHost, reports: string | undefined): readonly HostCrashReport[] {
  const jobs = host.recovered?.takeEnded() ?? [];
  const reported: readonly HostCrashReport[] = reports === undefined ? [] : takeReports(reports);
  if (jobs.length === 0) return reported;
  const last = reported.at(-1) ?? { endedMs: Math.max(...jobs.map((job) => job.endedMs)), processes: [] };
  return [...reported.slice(0, -1), { ...last, jobs }];
}

function takeHalfWritten(backups: Backups): readonly HostCrashReport[] {
  const halfWritten = backups.takeHalfWritten();
  if (halfWritten.length === 0) return [];
  return [{ endedMs: halfWritten.at(-1)!.startedMs, processes: [], halfWritten }];
}
