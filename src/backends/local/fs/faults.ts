/** Why an operation fails: what the operating system refuses, in Haft's codes, its own text in `details.system`; and who no longer waits. */
import {
  type FsOperation,
  HaftError,
  type Io,
  outOfTime,
  requireUncancelled,
  systemFault,
  systemRefusal,
  thrownFault,
} from "../../../kernel/index.js";

export { systemCode } from "../../../kernel/index.js";

/**
 * Turns what a system call threw into a HaftError about the path that was asked for; a HaftError passes unchanged.
 * @param did - What did not happen, as a verb: "read", "write".
 */
export function localFsFault(thrown: unknown, did: string, path: string): unknown {
  if (HaftError.is(thrown)) return thrown;
  const { code, syscall, message } = thrown as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return thrown;
  // Node names no path for a folder that is read, and neither do we; elsewhere the descriptor's path would be of no use.
  const where = code === "EISDIR" ? "" : ` '${path}'`;
  const text = systemRefusal(code)?.[1] ?? message.replace(/^[A-Z0-9]+: /, "").replace(/, \w+( '.*)?$/s, "");
  const otherwise = `the system says ${code}, ${text}. Try again, or use another path`;
  return thrownFault(thrown, did, path, { system: `${code}: ${text}, ${syscall}${where}`, otherwise });
}

export function notFound(did: string, path: string, syscall: string): HaftError {
  return systemFault("ENOENT", did, path, syscall);
}

export function symlinkLoop(did: string, path: string): HaftError {
  return systemFault("ELOOP", did, path, "open");
}

/** Asked between the steps of an operation: throws once its caller has stopped waiting for it. */
export class Patience {
  readonly #doing: FsOperation;
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  readonly #timeoutMs: number;
  readonly #requireLive: () => void;

  constructor(doing: FsOperation, path: string, io: Io | undefined, requireLive: () => void) {
    this.#doing = doing;
    this.#path = path;
    this.#signal = io?.signal;
    this.#timeoutMs = io?.timeoutMs ?? Number.POSITIVE_INFINITY;
    this.#end = performance.now() + this.#timeoutMs;
    this.#requireLive = requireLive;
    this.check();
  }

  /** @throws `CALL_CANCELLED`, `CALL_TIMEOUT`, `CALL_REVOKED` or what the call was ended with. */
  check(): void {
    this.#requireLive();
    requireUncancelled(this.#doing, this.#path, this.#signal);
    if (performance.now() < this.#end) return;
    throw outOfTime(this.#timeoutMs);
  }
}
