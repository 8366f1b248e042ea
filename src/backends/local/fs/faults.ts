/** Maps errors of the operating system to Haft's error codes; the system's own text goes to `details.system`. */
import { HaftError, systemFault, systemRefusal, thrownFault } from "../../../kernel/index.js";

export { systemCode } from "../../../kernel/index.js";

/**
 * Turns what a system call threw into a HaftError about the path that was asked for; a HaftError passes unchanged.
 * @param did - What did not happen, as a verb: "read", "write".
 */
export function localFsFault(thrown: unknown, did: string, path: string): unknown {
  if (HaftError.is(thrown)) return thrown;
  const { code, syscall, message } = thrown as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return thrown;
  // Node names no path for a directory that is read, and neither do we; elsewhere the descriptor's path would be of no use.
  const where = code === "EISDIR" ? "" : ` '${path}'`;
  const text = systemRefusal(code)?.[1] ?? message.replace(/^[A-Z0-9]+: /, "").replace(/, \w+( '.*)?$/s, "");
  const otherwise = `the system reported ${code}, ${text}. Try again, or use another path`;
  return thrownFault(thrown, did, path, { system: `${code}: ${text}, ${syscall}${where}`, otherwise });
}

export function notFound(did: string, path: string, syscall: string): HaftError {
  return systemFault("ENOENT", did, path, syscall);
}

export function symlinkLoop(did: string, path: string): HaftError {
  return systemFault("ELOOP", did, path, "open");
}
