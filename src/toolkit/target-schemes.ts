/** Target strings, and who opens them: a table of schemes. Each backend is loaded when it is opened. */
import type { EngineName } from "../backends/container/index.js";
import type { Transport } from "../backends/posix/index.js";
import { type Backend, HaftError } from "../kernel/index.js";
import { nearestNames, showControls } from "../text/index.js";
import type { SandboxSettings } from "./sandbox-settings.js";
import { requireContainerName, requireDestination, requireImageName } from "./target-addresses.js";
import { splitTerminal, type TargetTerminal, TERMINAL_SUFFIX } from "./target-terminal.js";

/** Options that only some kinds of target have. */
export interface TargetSettings {
  readonly ssh?: {
    /** The configuration file of OpenSSH that is read in place of the user's own and the system's. Absolute. */
    readonly config?: string;
    /** Whether Haft's ripgrep is copied to a machine that has none, for its searches. Default false. */
    readonly copyRipgrep?: boolean;
  };
  readonly container?: {
    /** The user that commands run as: a name or an id of the container. Default: that of its image. */
    readonly user?: string;
    /** For `image:IMAGE`: whether it has the network that the engine gives by default. Default false: none. */
    readonly network?: boolean;
    /** Whether Haft's ripgrep is copied into a container that has none, for its searches. Default: only for `image:IMAGE`. */
    readonly copyRipgrep?: boolean;
  };
}

/** What a backend is opened with, whatever its target. */
export interface OpenBackendOptions extends TargetSettings {
  /** Absolute; where relative paths and commands start. Default: the backend's own choice. */
  readonly cwd?: string;
  /** What commands find in their environment beside the usual few variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The state directory, for what has to outlive this process. Absent: nothing does. */
  readonly stateDir?: string;
  /** For the target `sandbox`. */
  readonly sandbox?: SandboxSettings;
}

/** What a scheme opens: the target's name, and what follows the scheme and its colon; "" where nothing does. */
export interface TargetRequest extends OpenBackendOptions {
  readonly target: string;
  readonly address: string;
}

/** A backend that programs can be started beside. */
export interface OpenedMachine {
  readonly backend: Backend;
  /** The local command that runs `argv` there, as these exact arguments, with stdin and stdout passed through and no terminal. */
  command(argv: readonly string[]): readonly string[];
  /** The same for a user at a terminal, which it passes on. Absent: no command shows a terminal of its targets. */
  interactive?(argv: readonly string[]): readonly string[];
}

/** Opens the targets `scheme:ADDRESS`. */
export interface TargetScheme {
  /** The addresses that it takes, "" for none. Absent: any that is not empty. */
  readonly addresses?: readonly string[];
  /** How an address is written, for messages. Default "ADDRESS". */
  readonly addressText?: string;
  /** Checks how an address is written, before anything is opened. @throws `CONFIG_INVALID` with a sentence */
  checkAddress?(address: string): void;
  /** The settings that are for its targets. */
  readonly settings?: keyof TargetSettings;
  /**
   * Whether the workspace of the toolkit, a directory of this machine, is also theirs. `false`: not even for the default target.
   * Default: `isThisMachine`, and for the default target.
   */
  readonly sharesWorkspace?: boolean;
  /** Whether its files are those of this machine. Default false. */
  readonly isThisMachine?: boolean;
  /** Whether its targets take the suffix "+tmux"; then `open` returns an `OpenedMachine`. Default false. */
  readonly terminal?: boolean;
  /** Where its targets start without a workspace, where that is known before one is open. */
  readonly workspace?: string;
  /** The home directory on its targets, where that is known before one is open. */
  readonly home?: string;
  /** Called by the first call on the target, and again after a failure. The toolkit closes the backend. */
  open(request: TargetRequest): Backend | OpenedMachine | Promise<Backend | OpenedMachine>;
}

/** Milliseconds that a shell of this machine has to answer: less than a call waits for its target, so that the cause is reported. */
const POSIX_CONNECT_TIMEOUT_MS = 20_000;

/** For a machine that is this one. */
const onThisMachine = (argv: readonly string[]): readonly string[] => argv;

const SCHEMES: Readonly<Record<string, TargetScheme>> = {
  local: {
    addresses: [""],
    isThisMachine: true,
    terminal: true,
    async open(options) {
      const { createLocalBackend } = await import("../backends/local/index.js");
      return { backend: createLocalBackend(options), command: onThisMachine };
    },
  },
  sandbox: {
    addresses: [""],
    isThisMachine: true,
    open: async (options) => (await import("./sandbox-settings.js")).openSandbox(options),
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
    terminal: true,
    async open({ address, cwd, env }) {
      const { openLocalPosix } = await import("../backends/posix/index.js");
      const backend = await openLocalPosix({
        shell: address,
        connectTimeoutMs: POSIX_CONNECT_TIMEOUT_MS,
        ...(cwd === undefined ? {} : { cwd }),
        ...(env === undefined ? {} : { setEnv: env }),
      });
      return { backend, command: onThisMachine };
    },
  },
  container: running(),
  docker: running("docker"),
  podman: running("podman"),
  image: {
    addressText: "IMAGE",
    checkAddress: requireImageName,
    settings: "container",
    sharesWorkspace: true,
    async open({ target, address, cwd, env, container }) {
      const { openImage } = await import("../backends/container/index.js");
      if (cwd === undefined)
        throw new HaftError("CONFIG_INVALID", `Did not start a container of "${address}": no workspace. Name one.`);
      return machineOf(
        await openImage({
          target,
          image: address,
          workspace: cwd,
          ...container,
          ...(env === undefined ? {} : { env }),
        }),
      );
    },
  },
  ssh: {
    addressText: "[USER@]HOST[:PORT]",
    checkAddress: requireDestination,
    settings: "ssh",
    sharesWorkspace: false,
    terminal: true,
    async open({ address, cwd, env, ssh }) {
      const { openSshMachine } = await import("../backends/ssh/index.js");
      return machineOf(
        await openSshMachine({
          destination: address,
          ...ssh,
          ...(cwd === undefined ? {} : { cwd }),
          ...(env === undefined ? {} : { env }),
        }),
      );
    },
  },
};

/** Containers that run. */
function running(engine?: EngineName): TargetScheme {
  return {
    addressText: "NAME",
    checkAddress: requireContainerName,
    settings: "container",
    sharesWorkspace: false,
    terminal: true,
    async open({ target, address, cwd, env, container }) {
      const { openContainer } = await import("../backends/container/index.js");
      return machineOf(
        await openContainer({
          target,
          name: address,
          ...container,
          ...(engine === undefined ? {} : { engine }),
          ...(cwd === undefined ? {} : { cwd }),
          ...(env === undefined ? {} : { env }),
        }),
      );
    },
  };
}

function machineOf({
  backend,
  transport,
}: {
  readonly backend: Backend;
  readonly transport: Transport;
}): OpenedMachine {
  const { interactive } = transport;
  return {
    backend,
    command: (argv) => transport.command(argv),
    ...(interactive === undefined ? {} : { interactive: (argv) => interactive.call(transport, argv) }),
  };
}

/** Schemes of a host, by name, beside the built-in ones; one of the same name takes the built-in one's place. */
export type TargetSchemes = Readonly<Record<string, TargetScheme>>;

/** The kinds of target, as they are reported to users. */
export const TARGETS: readonly string[] = Object.freeze(targetsOf(SCHEMES));

function targetsOf(schemes: TargetSchemes): string[] {
  return Object.entries(schemes).flatMap(([scheme, { addresses, addressText = "ADDRESS" }]) =>
    (addresses ?? [addressText]).map((address) => (address === "" ? scheme : `${scheme}:${address}`)),
  );
}

/**
 * The scheme of a target, the address in it and its terminal.
 *
 * @param others - Targets that need no scheme, for the message.
 * @throws `CONFIG_INVALID` for a target of no scheme
 */
export function schemeOf(target: string, more: TargetSchemes = {}, others: readonly string[] = []): FoundScheme {
  const parsed = parse(target, more);
  if (typeof parsed === "object") return parsed;
  const known = [...others, ...targetsOf({ ...SCHEMES, ...more })];
  const [, name = "", rest = ""] = /^([^:+=]*)(.*)$/s.exec(target) ?? [];
  const [near] = nearestNames(name, [...others, ...Object.keys({ ...SCHEMES, ...more })], 1);
  const meant = near === undefined || near === name ? "" : ` Did you mean "${near}${showControls(rest)}"?`;
  const why = parsed ?? `There is no target "${showControls(target)}".${meant} Use one of ${known.join(", ")}.`;
  throw new HaftError("CONFIG_INVALID", why, { details: { target } });
}

export interface FoundScheme {
  readonly scheme: TargetScheme;
  readonly address: string;
  /** Absent: the target has none. */
  readonly terminal?: TargetTerminal;
}

/** Undefined for a target of no scheme. */
export function findScheme(target: string, more: TargetSchemes = {}): FoundScheme | undefined {
  const parsed = parse(target, more);
  return typeof parsed === "object" ? parsed : undefined;
}

/** Why the target cannot be used, where its scheme is known. */
function parse(text: string, more: TargetSchemes): FoundScheme | string | undefined {
  const schemes = { ...SCHEMES, ...more };
  const { target, terminal } = splitTerminal(text);
  const [, name = "", address = "", unread = ""] = /^([a-z][a-z0-9-]*)(?::(.*?))?(\+tmux.*)?$/s.exec(target) ?? [];
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (scheme === undefined) return undefined;
  if (unread !== "")
    return `The target "${showControls(text)}" does not end as a target with a terminal does: ${TERMINAL_SUFFIX}. The name of a session has at most 64 letters, digits, "_" and "-", and no "." or ":".`;
  if (!(scheme.addresses?.includes(address) ?? address !== "")) return undefined;
  const problem = addressProblem(scheme, address);
  if (problem !== undefined) return problem;
  if (terminal === undefined) return { scheme, address };
  if (terminal.current === true && scheme.isThisMachine !== true)
    return `The target "${text}" cannot be: "current" is the pane that Haft runs in, on this machine. Use "${target}+tmux" or "${target}+tmux=SESSION".`;
  if (scheme.terminal === true) return { scheme, address, terminal };
  return `The target "${target}" has no terminal. Leave out "${text.slice(target.length)}".`;
}

function addressProblem({ checkAddress }: TargetScheme, address: string): string | undefined {
  try {
    checkAddress?.(address);
    return undefined;
  } catch (error) {
    if (HaftError.is(error, "CONFIG_INVALID")) return error.message;
    throw error;
  }
}

/** Whether this is the string of a built-in target, rather than the name of one. */
export function isBuiltInTarget(target: string): boolean {
  return findScheme(target) !== undefined;
}

/** Whether this is a built-in target whose files are those of this machine. */
export function isOnThisMachine(target: string): boolean {
  return findScheme(target)?.scheme.isThisMachine === true;
}

/** Whether the workspace of the toolkit is also that of such a target. */
export function sharesWorkspace(scheme: TargetScheme, isDefault = false): boolean {
  return scheme.sharesWorkspace ?? (scheme.isThisMachine === true || isDefault);
}

/** The same for a built-in target. */
export function hasSharedWorkspace(target: string, isDefault = false): boolean {
  const found = findScheme(target);
  return found !== undefined && sharesWorkspace(found.scheme, isDefault);
}

/** Opens the backend of a target, with its terminal. What its scheme returns is not checked. */
export async function openFound(
  { scheme, terminal }: Pick<FoundScheme, "scheme" | "terminal">,
  request: TargetRequest,
): Promise<Backend> {
  const opened = await scheme.open(request);
  if (!isOpenedMachine(opened)) return opened;
  const { backend } = opened;
  if (terminal === undefined) return backend;
  const { withTmux } = await import("../backends/tmux/index.js");
  try {
    return withTmux(backend, {
      run: (argv) => opened.command(argv),
      ...(opened.interactive === undefined ? {} : { interactive: (argv) => opened.interactive!(argv) }),
      ...terminal,
    });
  } catch (error) {
    await backend.close().catch(() => {});
    throw error;
  }
}

function isOpenedMachine(opened: Backend | OpenedMachine): opened is OpenedMachine {
  return typeof (opened as Partial<OpenedMachine> | undefined)?.command === "function";
}

/**
 * Opens the backend of a target: `local` this machine, `sandbox` the same with its commands confined, `memory` an imagined
 * one, `posix:SHELL` this machine through a plain shell, `container:NAME` a running container, `image:IMAGE` a container of its
 * own, `ssh:HOST` another machine. The caller closes it.
 *
 * @throws `CONFIG_INVALID` for another target, `BACKEND_UNAVAILABLE` when it cannot be opened.
 */
export async function openBackend(target: string, options: OpenBackendOptions = {}): Promise<Backend> {
  const found = schemeOf(target);
  return openFound(found, { ...options, target, address: found.address });
}
