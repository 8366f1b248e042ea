/** Backends by their target strings. Each is loaded when it is opened. */
import { type Backend, HaftError } from "../kernel/index.js";

/** What a backend is opened with, whatever its target. */
export interface OpenBackendOptions {
  /** Absolute; where relative paths and commands start. Default: the backend's own choice. */
  readonly cwd?: string;
  /** What commands find in their environment beside the usual few variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The state directory, for what has to outlive this process. Absent: nothing does. */
  readonly stateDir?: string;
}

/** The kinds of target, as they are reported to users. */
export const TARGETS: readonly string[] = Object.freeze([
  "local",
  "memory",
  "posix:sh",
  "posix:dash",
  "posix:bash",
  "posix:busybox",
]);

type Open = (options: OpenBackendOptions) => Promise<Backend>;

const OPENERS: Readonly<Record<string, Open>> = {
  local: async (options) => (await import("../backends/local/index.js")).createLocalBackend(options),
  memory: async (options) => (await import("../backends/memory/index.js")).createMemoryBackend(options),
  "posix:sh": (options) => openPosix("sh", options),
  "posix:dash": (options) => openPosix("dash", options),
  "posix:bash": (options) => openPosix("bash", options),
  "posix:busybox": (options) => openPosix("busybox", options),
};

/**
 * Opens the backend of a target: `local` this machine, `memory` an imagined one, `posix:SHELL` this machine through a plain
 * shell, as if it were at the other end of a pipe. The caller closes it.
 *
 * @throws `CONFIG_INVALID` for another target, `BACKEND_UNAVAILABLE` when it cannot be opened.
 */
export async function openBackend(target: string, options: OpenBackendOptions = {}): Promise<Backend> {
  return openerOf(target)(options);
}

/** Rejects what `openBackend` would not take, before anything is opened. @throws `CONFIG_INVALID` */
export function requireTarget(target: string): void {
  openerOf(target);
}

/** Whether the target's files are those of this machine. */
export function isOnThisMachine(target: string): boolean {
  return target === "local" || target.startsWith("posix:");
}

function openerOf(target: string): Open {
  const open = Object.hasOwn(OPENERS, target) ? OPENERS[target] : undefined;
  if (open !== undefined) return open;
  throw new HaftError("CONFIG_INVALID", `There is no target "${target}". Take one of ${TARGETS.join(", ")}.`, {
    details: { target },
  });
}

async function openPosix(shell: "sh" | "dash" | "bash" | "busybox", options: OpenBackendOptions): Promise<Backend> {
  const { openLocalPosix } = await import("../backends/posix/index.js");
  const { cwd, env } = options;
  return openLocalPosix({
    shell,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { setEnv: env }),
  });
}
