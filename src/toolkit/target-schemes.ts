/** Target strings, and who opens them: a table of schemes. Each backend is loaded when it is opened. */
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

/** What a scheme opens: the target's name, and what follows the scheme and its colon; "" where nothing does. */
export interface TargetRequest extends OpenBackendOptions {
  readonly target: string;
  readonly address: string;
}

/** Opens the targets `scheme:ADDRESS`. */
export interface TargetScheme {
  /** The addresses that it takes, "" for none. Absent: any that is not empty. */
  readonly addresses?: readonly string[];
  /** Whether its files are those of this machine: the workspace of the toolkit applies there. Default false. */
  readonly isThisMachine?: boolean;
  /** Where its targets start without a workspace, where that is known before one is open. */
  readonly workspace?: string;
  /** The home directory on its targets, where that is known before one is open. */
  readonly home?: string;
  /** Called by the first call on the target, and again after a failure. The toolkit closes the backend. */
  open(request: TargetRequest): Backend | Promise<Backend>;
}

/** Milliseconds that a shell of this machine has to answer: less than a call waits for its target, so that the cause is reported. */
const POSIX_CONNECT_TIMEOUT_MS = 20_000;

const SCHEMES: Readonly<Record<string, TargetScheme>> = {
  local: {
    addresses: [""],
    isThisMachine: true,
    open: async (options) => (await import("../backends/local/index.js")).createLocalBackend(options),
  },
  memory: {
    addresses: [""],
    workspace: "/workspace",
    home: "/home/user",
    open: async (options) => (await import("../backends/memory/index.js")).createMemoryBackend(options),
  },
  posix: {
    addresses: ["sh", "dash", "bash", "busybox"],
    isThisMachine: true,
    async open({ address, cwd, env }) {
      const { openLocalPosix } = await import("../backends/posix/index.js");
      return openLocalPosix({
        shell: address,
        connectTimeoutMs: POSIX_CONNECT_TIMEOUT_MS,
        ...(cwd === undefined ? {} : { cwd }),
        ...(env === undefined ? {} : { setEnv: env }),
      });
    },
  },
};

/** Schemes of a host, by name, beside the built-in ones; one of the same name takes the built-in one's place. */
export type TargetSchemes = Readonly<Record<string, TargetScheme>>;

/** The kinds of target, as they are reported to users. */
export const TARGETS: readonly string[] = Object.freeze(targetsOf(SCHEMES));

function targetsOf(schemes: TargetSchemes): string[] {
  return Object.entries(schemes).flatMap(([scheme, { addresses = ["ADDRESS"] }]) =>
    addresses.map((address) => (address === "" ? scheme : `${scheme}:${address}`)),
  );
}

/**
 * The scheme of a target, and the address in it.
 *
 * @param others - Targets that need no scheme, for the message.
 * @throws `CONFIG_INVALID` for a target of no scheme
 */
export function schemeOf(target: string, more: TargetSchemes = {}, others: readonly string[] = []): FoundScheme {
  const found = findScheme(target, more);
  if (found !== undefined) return found;
  const known = [...others, ...targetsOf({ ...SCHEMES, ...more })];
  throw new HaftError("CONFIG_INVALID", `There is no target "${target}". Use one of ${known.join(", ")}.`, {
    details: { target },
  });
}

interface FoundScheme {
  readonly scheme: TargetScheme;
  readonly address: string;
}

/** Undefined for a target of no scheme. */
export function findScheme(target: string, more: TargetSchemes = {}): FoundScheme | undefined {
  const schemes = { ...SCHEMES, ...more };
  const [, name = "", address = ""] = /^([a-z][a-z0-9-]*)(?::(.*))?$/s.exec(target) ?? [];
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  const isTaken = scheme?.addresses?.includes(address) ?? address !== "";
  return scheme !== undefined && isTaken ? { scheme, address } : undefined;
}

/** Whether this is a built-in target whose files are those of this machine. */
export function isOnThisMachine(target: string): boolean {
  return findScheme(target)?.scheme.isThisMachine === true;
}

/**
 * Opens the backend of a target: `local` this machine, `memory` an imagined one, `posix:SHELL` this machine through a plain
 * shell, as if it were at the other end of a pipe. The caller closes it.
 *
 * @throws `CONFIG_INVALID` for another target, `BACKEND_UNAVAILABLE` when it cannot be opened.
 */
export async function openBackend(target: string, options: OpenBackendOptions = {}): Promise<Backend> {
  const { scheme, address } = schemeOf(target);
  return scheme.open({ ...options, target, address });
}
