/** What ripgrep says on its error stream about the files that it left out. */

export type LogEntry =
  | { readonly kind: "binary" | "large" | "special" | "override" | "rule-file"; readonly path: string }
  | { readonly kind: "unreadable"; readonly path: string; readonly errno: number };

/** A longer line tells nothing that is looked for. */
const MAX_LINE_BYTES = 32 * 1024;
const NEWLINE = 10;
const NOT_FOUND = 2;

/** Its debug messages name what no flag makes it print otherwise. Each form with what it stands for. */
const DEBUG_FORMS: readonly (readonly [RegExp, Exclude<LogEntry["kind"], "unreadable">])[] = [
  [/: ignoring (.+): found binary data at offset \d+$/s, "binary"],
  [/: ignoring (.+): \d+ bytes$/s, "large"],
  [/: ignoring (.+): failed to pass haystack filter: .*is_dir: false, is_symlink: false/s, "special"],
  [/: ignoring (.+): Ignore\(IgnoreMatch\(Override\(.*original: "!\//s, "override"],
  [/: opened gitignore file: (.+)$/s, "rule-file"],
];

/** Takes the error stream in chunks and hands on what a search counts. Lines of other forms are passed over. */
export class RipgrepLog {
  readonly #onEntry: (entry: LogEntry) => void;
  #open: Buffer[] = [];
  #openBytes = 0;

  constructor(onEntry: (entry: LogEntry) => void) {
    this.#onEntry = onEntry;
  }

  push(chunk: Buffer): void {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      this.#keep(chunk.subarray(at, end));
      this.#line();
      at = end + 1;
    }
    this.#keep(chunk.subarray(at));
  }

  #keep(part: Buffer): void {
    this.#openBytes += part.length;
    if (this.#openBytes <= MAX_LINE_BYTES) this.#open.push(part);
  }

  #line(): void {
    const entry = this.#openBytes > MAX_LINE_BYTES ? undefined : entryOf(Buffer.concat(this.#open).toString());
    this.#open = [];
    this.#openBytes = 0;
    if (entry !== undefined) this.#onEntry(entry);
  }
}

function entryOf(line: string): LogEntry | undefined {
  if (line.startsWith("rg: DEBUG|")) {
    for (const [form, kind] of DEBUG_FORMS) {
      const path = form.exec(line)?.[1];
      if (path !== undefined) return { kind, path };
    }
    return undefined;
  }
  const [, path, errno] = /^rg: (.+): [^:]+ \(os error (\d+)\)$/s.exec(line) ?? [];
  if (path === undefined || Number(errno) === NOT_FOUND) return undefined;
  return { kind: "unreadable", path, errno: Number(errno) };
}
