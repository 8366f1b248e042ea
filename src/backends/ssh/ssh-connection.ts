/** One connection to a machine, shared by all clients that run programs there. */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendSignal } from "../../host/index.js";
import { HaftError, messageOf, shortageOf, systemCode } from "../../kernel/index.js";
import { type SshDestination, shellWord, showControls } from "../../text/index.js";
import { type ClientEnd, loginShellCommand, REMOTE_CONNECT_MS, type Transport } from "../posix/index.js";
import { parseDestination } from "./destination.js";
import { type ByHand, CONNECT_S, causeOf, isThroughAnother, type SshFailure, sshError } from "./explain-ssh.js";

export interface SshConnectionOptions {
  /** `host`, `user@host` or `user@host:port`; the host may be an alias of the configuration. */
  readonly destination: string;
  /** A configuration file of ssh instead of the user's (`ssh -F`). */
  readonly config?: string;
}

/** After this many questions without an answer the connection is lost: 30 s, so that an interruption of 20 s is none. */
const ALIVE = { everyS: 5, times: 6 };
/** Seconds that the connection stays open without a client: after a `kill -9` of this process nothing else closes it. */
const IDLE_S = 15;
/** Milliseconds that the process of the connection may take to answer. */
const CONTROL_MS = 3_000;
/** A longer directory leaves no room for a name in the path of a socket, 104 bytes on some systems. */
const MAX_DIRECTORY_BYTES = 45;
const SUFFIX_BYTES = "/haft-ssh-123456".length;
const MAX_WORDS_BYTES = 8_192;

type Ended = Omit<ClientEnd, "stderr">;

/** Failures of which ssh printed nothing. */
const OTHERWISE = {
  closed: { why: "ssh could not connect", advice: "Run `ssh HOST true` by hand to see why." },
  "timed-out": {
    why: `it did not answer within ${REMOTE_CONNECT_MS / 1_000} s`,
    advice: "Check that the machine is on, the address is right, and no firewall drops the connection.",
  },
  dropped: { why: "the connection was lost", advice: "Try again." },
} satisfies Partial<Record<SshFailure, { why: string; advice: string }>>;

/**
 * A connection that is opened when the first client needs it, and again if it was lost. Close it in any case.
 * @throws `CONFIG_INVALID`, `BACKEND_UNAVAILABLE` where the directory for its socket cannot be created.
 */
export function sshConnection(
  options: SshConnectionOptions,
): Transport & Required<Pick<Transport, "close" | "prepare">> {
  return new SshConnection(options, parseDestination(options.destination));
}

/** Connects at once. @throws `CONFIG_INVALID`, `BACKEND_UNAVAILABLE` */
export async function openSshConnection(options: SshConnectionOptions): Promise<Transport> {
  const connection = sshConnection(options);
  try {
    await connection.prepare();
    return connection;
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

class SshConnection implements Transport {
  readonly name: string;
  readonly machine: string;
  readonly shellAdvice: string;
  readonly #byHand: ByHand;
  /** Private; holds the socket of the connection and what its process prints. */
  readonly #directory: string;
  readonly #log: string;
  readonly #config: readonly string[];
  readonly #account: readonly string[];
  readonly #options: readonly string[];
  readonly #to: readonly string[];
  readonly #onProcessExit = () => this.#leave();
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ destination, config }: SshConnectionOptions, { user, host, port }: SshDestination) {
    this.name = `ssh:${destination}`;
    this.machine = this.name;
    // `ssh` reads no port from "user@host:port".
    const words = [
      ...(config === undefined ? [] : ["-F", shellWord(config)]),
      ...(port === undefined ? [] : ["-p", String(port)]),
      `${user === undefined ? "" : `${user}@`}${host}`,
    ];
    this.#byHand = { words: words.join(" "), config: config ?? "~/.ssh/config" };
    this.shellAdvice = `The start-up files of the login shell there, such as ~/.bashrc, must not exit, wait or start another program: \`ssh ${this.#byHand.words} true\` must succeed at once.`;
    this.#directory = createDirectory(this.name);
    this.#log = join(this.#directory, "log");
    process.once("exit", this.#onProcessExit);
    const settings = {
      BatchMode: "yes",
      ConnectTimeout: CONNECT_S,
      ServerAliveInterval: ALIVE.everyS,
      ServerAliveCountMax: ALIVE.times,
      ControlPath: join(this.#directory, "%C"),
      ControlPersist: IDLE_S,
      LogLevel: "INFO",
      // What the user's configuration may have for sessions at a terminal.
      ClearAllForwardings: "yes",
      PermitLocalCommand: "no",
      RemoteCommand: "none",
    };
    this.#config = config === undefined ? [] : ["-F", config];
    this.#account = [...(user === undefined ? [] : ["-l", user]), ...(port === undefined ? [] : ["-p", String(port)])];
    this.#options = [
      ...this.#config,
      "-T",
      ...Object.entries(settings).flatMap(([key, value]) => ["-o", `${key}=${value}`]),
      ...this.#account,
    ];
    this.#to = ["--", host];
  }

  /** Where the server allows no more sessions on one connection, the client opens one of its own. */
  command(argv: readonly string[]): readonly string[] {
    return ["ssh", "-o", "ControlMaster=no", ...this.#options, ...this.#to, loginShellCommand(argv)];
  }

  /** As a user types it, with the user's own connection. */
  interactive(argv: readonly string[]): readonly string[] {
    return ["ssh", ...this.#config, "-t", ...this.#account, ...this.#to.slice(1), ...argv.map(shellWord)];
  }

  /** Opens the connection unless it is open. @throws `BACKEND_UNAVAILABLE` */
  prepare(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async explain(end: ClientEnd): Promise<HaftError | undefined> {
    // 255 is also what a program there may end with, and what ssh ends with if a signal ended it.
    if (end.code !== 255) return undefined;
    const cause = causeOf(end.stderr);
    if (cause !== undefined) return sshError(this.name, this.#byHand, cause);
    if (this.#closing !== undefined || (await this.#isOpen())) return undefined;
    return this.#failure("dropped");
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#opening?.catch(() => {});
    await this.#control("exit").catch(() => {});
    process.off("exit", this.#onProcessExit);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The process that runs the connection ends, and with it the socket. */
  #leave(): void {
    const script = 'directory=$1; shift; "$@"; rm -rf "$directory"';
    const words = ["ssh", "-O", "exit", ...this.#options, ...this.#to];
    spawn("sh", ["-c", script, "sh", this.#directory, ...words], { detached: true, stdio: "ignore" }).unref();
  }

  async #open(): Promise<void> {
    if (this.#closing !== undefined || (await this.#isOpen())) return;
    // ssh would share no connection if the socket of a process that was killed were still there.
    for (const name of readdirSync(this.#directory)) rmSync(join(this.#directory, name), { force: true });
    const open = ["-N", "-f", "-E", this.#log, "-o", "ControlMaster=yes", ...this.#options, ...this.#to];
    // Jump hosts are within the limit.
    const until = performance.now() + REMOTE_CONNECT_MS;
    const { code, signal } = await run(open, REMOTE_CONNECT_MS);
    if (code === 0) return;
    if (signal === null && isThroughAnother(this.#printed())) await this.#tryWithoutSharing(until - performance.now());
    throw this.#failure(signal === null ? "closed" : "timed-out");
  }

  /** ssh discards what the clients of jump hosts print, if the connection is to be shared. */
  async #tryWithoutSharing(timeoutMs: number): Promise<void> {
    const log = openSync(this.#log, "a");
    const words = ["-o", "ControlPath=none", "-o", "ControlMaster=no", ...this.#options, ...this.#to, "exit"];
    await run(words, timeoutMs, log).finally(() => closeSync(log));
  }

  async #isOpen(): Promise<boolean> {
    return (await this.#control("check")).code === 0;
  }

  #control(what: "check" | "exit"): Promise<Ended> {
    return run(["-O", what, ...this.#options, ...this.#to], CONTROL_MS);
  }

  /** @param otherwise - The failure if ssh printed nothing that is known. */
  #failure(otherwise: keyof typeof OTHERWISE): HaftError {
    const printed = this.#printed();
    const last = showControls(printed.trim().split("\n").at(-1)?.trim() ?? "");
    const known = OTHERWISE[otherwise];
    const unknown = last === "" ? known : { ...known, why: `${known.why}: ${last}` };
    return sshError(this.name, this.#byHand, causeOf(printed) ?? { reason: otherwise, ...unknown });
  }

  #printed(): string {
    try {
      return readFileSync(this.#log, "utf8").slice(-MAX_WORDS_BYTES);
    } catch {
      return "";
    }
  }
}

/** @throws `BACKEND_UNAVAILABLE` */
function createDirectory(target: string): string {
  const above = shortDirectory();
  try {
    return mkdtempSync(join(above, "haft-ssh-"));
  } catch (thrown) {
    throw new HaftError(
      "BACKEND_UNAVAILABLE",
      `Could not reach "${target}": the directory for its socket cannot be created in "${above}" (${messageOf(thrown)}). Set TMPDIR to a directory where this user can create files, with a path of at most ${MAX_DIRECTORY_BYTES - SUFFIX_BYTES} bytes.`,
      { details: { backend: target } },
    );
  }
}

/** A directory for sockets. Temporary directories of some systems have long names; ssh splits and expands others. */
function shortDirectory(): string {
  const directory = tmpdir();
  return /^[\w./-]+$/.test(directory) && directory.length + SUFFIX_BYTES <= MAX_DIRECTORY_BYTES ? directory : "/tmp";
}

/** Runs ssh without input. @throws `BACKEND_UNAVAILABLE` if it cannot be started. */
function run(args: readonly string[], timeoutMs: number, stderr: number | "ignore" = "ignore"): Promise<Ended> {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn("ssh", args, { detached: true, stdio: ["ignore", "ignore", stderr] });
    // It leads its own process group: the clients of jump hosts end with it.
    const timer = setTimeout(() => sendSignal({ groupOf: child }, "SIGKILL"), timeoutMs);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  }).catch((error: unknown) => {
    throw notStarted(error);
  });
}

function notStarted(error: unknown): HaftError {
  const isMissing = systemCode(error) === "ENOENT";
  const next = isMissing ? "Install the OpenSSH client" : "Run `ssh -V` to see why";
  const cause = shortageOf(error) ?? { why: messageOf(error), next };
  return new HaftError("BACKEND_UNAVAILABLE", `Did not start ssh: ${cause.why}. ${cause.next}.`, {
    details: { ...(isMissing ? { reason: "not-installed" satisfies SshFailure } : {}), why: cause.why },
  });
}
