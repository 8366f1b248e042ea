/** Why an operation fails: what the operating system refuses, in Haft's codes, its own text in `details.system`; and who no longer waits. */
import { type Doing, HaftError, type Io, requireUncancelled, systemFault, systemRefusal } from "../../kernel/index.js";

/** The system's `code` of anything thrown, or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/**
 * Turns what a system call threw into a HaftError about the path that was asked for; a HaftError passes unchanged.
 * @param did - What did not happen, as a verb: "read", "write".
 */
export function fsFault(thrown: unknown, did: string, path: string): unknown {
  if (HaftError.is(thrown)) return thrown;
  const { code, syscall, message } = thrown as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return thrown;
  const known = systemRefusal(code);
  // Node names no path for a folder that is read, and neither do we; elsewhere the descriptor's path would be of no use.
  const where = code === "EISDIR" ? "" : ` '${path}'`;
  const text = known?.[1] ?? message.replace(/^[A-Z0-9]+: /, "").replace(/, \w+( '.*)?$/s, "");
  const system = `${code}: ${text}, ${syscall}${where}`;
  const kind = code === "EISDIR" ? { kind: "directory" } : {};
  const bad = code === "ENAMETOOLONG" ? { why: whatIsTooLong(path) } : {};
  const why = known?.[2] ?? `the system says ${code}, ${text}. Try again, or use another path`;
  return new HaftError(known?.[0] ?? "FS_IO", `Did not ${did} "${path}": ${why}.`, {
    details: { path, ...kind, ...bad, system },
    cause: thrown,
  });
}

const MAX_NAME_BYTES = 255;

function whatIsTooLong(path: string): string {
  const isName = path.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  return isName ? `a name in it is longer than ${MAX_NAME_BYTES} bytes` : "it is longer than the system allows";
}

export function notFound(did: string, path: string, syscall: string): HaftError {
  return systemFault("ENOENT", did, path, syscall);
}

export function linkLoop(did: string, path: string): HaftError {
  return systemFault("ELOOP", did, path, "open");
}

/** Asked between the steps of an operation: throws once its caller has stopped waiting for it. */
export class Patience {
  readonly #doing: Doing;
  readonly #path: string;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  readonly #timeoutMs: number | undefined;
  readonly #requireLive: () => void;

  constructor(doing: Doing, path: string, io: Io | undefined, requireLive: () => void) {
    this.#doing = doing;
    this.#path = path;
    this.#signal = io?.signal;
    this.#timeoutMs = io?.timeoutMs;
    this.#end = io?.timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + io.timeoutMs;
    this.#requireLive = requireLive;
    this.check();
  }

  /** @throws `CALL_CANCELLED`, `CALL_TIMEOUT`, `CALL_REVOKED` or what the call was ended with. */
  check(): void {
    this.#requireLive();
    requireUncancelled(this.#doing, this.#path, this.#signal);
    if (performance.now() < this.#end) return;
    throw new HaftError("CALL_TIMEOUT", `Stopped after ${this.#timeoutMs} ms. Allow it more time.`, {
      details: { deadlineMs: this.#timeoutMs },
    });
  }
}
