/** The texts that this dialect keeps letter for letter. Every other wording of its answers is free. */

/** IR-129 */
export const READ_BEFORE_EDIT_MESSAGE = "File has not been read yet. Read it first before writing to it.";

/** IR-130 */
export const MODIFIED_SINCE_READ_MESSAGE =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

/** IR-049 */
export function noSuchTool(name: string): string {
  return `This session exposes no tool called "${name}".`;
}

/** IR-062; the dash is an en dash. */
export function showingLines(first: number, last: number, total: number | string): string {
  return `Showing lines ${first}–${last} of ${total}`;
}

/** IR-064 */
export function readNotice(omittedBytes: number): string {
  return `\nread: ${omittedBytes} ${omittedBytes === 1 ? "byte" : "bytes"} left out here to fit the window\n`;
}

/** IR-083 */
export function lsNotice(omittedBytes: number): string {
  return `\nls: ${omittedBytes} ${omittedBytes === 1 ? "byte" : "bytes"} left out here to fit the window\n`;
}

/** IR-068 */
export function saved(bytes: number, path: string): string {
  return `Saved ${bytes} ${bytes === 1 ? "byte" : "bytes"} to ${path}.`;
}

/** IR-090 */
export function patternFailed(why: string): string {
  return `Could not compile the search pattern: ${why}`;
}

/** IP-017, IP-018: the text of a failed system call; some calls, such as reading a directory, have no path. */
export function systemCallFailed(errno: string, reason: string, call: string, path?: string): string {
  return path === undefined ? `${errno}: ${reason}, ${call}` : `${errno}: ${reason}, ${call} '${path}'`;
}
