/** The text of tmux control mode: commands that are sent, and output that is received. */

/**
 * One word of a tmux command line. Control characters are written as octal numbers, so that any text fits on one line, and so is
 * "~", which tmux expands to a home directory even between quotes.
 */
export function tmuxWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("%")) return text;
  const escaped = text.replaceAll(/["\\$~\u0000-\u001f\u007f]/g, (one) =>
    one < " " || one === "\u007f" || one === "~" ? `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}` : `\\${one}`,
  );
  return `"${escaped}"`;
}

/**
 * A text where tmux takes a format, such as a name, a directory or a file: it would expand `#{...}` and execute `#(...)`. "##" is
 * a "#", but before "[" each "#" is kept as it is.
 */
export function formatText(text: string): string {
  return text.replaceAll(/#+(?![#[])/g, (run) => run + run);
}

const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** The bytes that a pane printed, as `%output` writes them: control characters and backslashes are `\ooo`. */
export function outputBytes(line: Uint8Array): Uint8Array {
  const first = line.indexOf(BACKSLASH);
  if (first < 0) return line.slice();
  const bytes = new Uint8Array(line.length);
  bytes.set(line.subarray(0, first));
  let size = first;
  for (let at = first; at < line.length; at += 1) {
    const byte = line[at]!;
    if (byte === BACKSLASH && at + 3 < line.length) {
      bytes[size++] = ((line[at + 1]! - ZERO) << 6) | ((line[at + 2]! - ZERO) << 3) | (line[at + 3]! - ZERO);
      at += 3;
    } else bytes[size++] = byte;
  }
  return bytes.subarray(0, size);
}

/** Splits bytes into lines without their newline. Keeps an incomplete last line for the next call. */
export class LineSplitter {
  #parts: Uint8Array[] = [];

  *push(bytes: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const line = bytes.subarray(from, end);
      from = end + 1;
      if (this.#parts.length === 0) yield line;
      else {
        const whole = Buffer.concat([...this.#parts, line]);
        this.#parts = [];
        yield whole;
      }
    }
    if (from < bytes.length) this.#parts.push(bytes.slice(from));
  }
}
