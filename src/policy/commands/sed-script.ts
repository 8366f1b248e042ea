/** What a sed script does beside printing: files that it reads and writes, and commands that it runs. */

export interface SedEffects {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** `e`, or the flag `e` of `s`. */
  readonly runsCommands: boolean;
  /** False if the script has something that this reader does not know. */
  readonly isUnderstood: boolean;
}

/** Longest class that is read. */
const MAX_CLASS = 256;
/** A line that ends with an odd number of backslashes. */
const CONTINUES = /(?:^|[^\\])(?:\\\\)*\\$/;

export function readSedScript(script: string): SedEffects {
  const reader = new SedReader(script);
  reader.run();
  return reader;
}

class SedReader implements SedEffects {
  readonly reads: string[] = [];
  readonly writes: string[] = [];
  runsCommands = false;
  isUnderstood = true;
  #at = 0;

  constructor(readonly script: string) {}

  run(): void {
    while (this.isUnderstood) {
      this.#skip(/[\s;]/);
      if (this.#at >= this.script.length) return;
      if (this.script[this.#at] === "#") {
        this.#line();
        continue;
      }
      this.#addresses();
      this.#skip(/[ \t!]/);
      this.#command();
    }
  }

  #skip(pattern: RegExp): void {
    while (this.#at < this.script.length && pattern.test(this.script[this.#at] as string)) this.#at++;
  }

  /** The rest of the line, to which a file name or a text reaches. */
  #line(): string {
    const end = this.script.indexOf("\n", this.#at);
    const line = this.script.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.script.length : end + 1;
    return line.trimStart();
  }

  #addresses(): void {
    for (;;) {
      const char = this.script[this.#at];
      if (char === "/") this.#delimited("/");
      else if (char === "\\") {
        this.#at++;
        this.#delimited(this.script[this.#at] ?? "");
      } else if (char !== undefined && /[\d$,~+ \t]/.test(char)) {
        this.#at++;
        continue;
      } else return;
      this.#skip(/[IM]/);
    }
  }

  /** From the delimiter at the current place to the next one that is neither escaped nor in a class, and past it. */
  #delimited(delimiter: string, hasClasses = true): void {
    for (this.#at++; this.#at < this.script.length; this.#at++) {
      const char = this.script[this.#at];
      if (char === "\\") this.#at++;
      else if (char === delimiter) {
        this.#at++;
        return;
      } else if (char === "[" && hasClasses) this.#at = this.#classEnd();
    }
    this.isUnderstood = false;
  }

  /** The bracket that ends the class at the current place. */
  #classEnd(): number {
    const end = /^\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]\n])*\]/.exec(this.script.slice(this.#at, this.#at + MAX_CLASS));
    if (end === null) this.isUnderstood = false;
    return this.#at + (end?.[0].length ?? 1) - 1;
  }

  #command(): void {
    const command = this.script[this.#at++];
    switch (command) {
      case undefined:
        return;
      case "r":
      case "R":
        this.reads.push(this.#line());
        return;
      case "w":
      case "W":
        this.writes.push(this.#line());
        return;
      case "e":
        this.runsCommands = true;
        this.#line();
        return;
      case "a":
      case "i":
      case "c":
        this.#text();
        return;
      case "b":
      case "t":
      case "T":
      case ":":
        // A label ends at a semicolon or whitespace in GNU sed and at the line in others.
        this.#skip(/[ \t]/);
        this.#skip(/[^;\n}\s]/);
        this.#skip(/[ \t]/);
        if (!/[;\n}]|undefined/.test(String(this.script[this.#at]))) this.isUnderstood = false;
        return;
      case "s":
        this.#substitute();
        return;
      case "y":
        this.#delimited(this.script[this.#at] ?? "", false);
        this.#at--;
        this.#delimited(this.script[this.#at] ?? "", false);
        return;
      default:
        if (!/[{}=dDgGhHlLnNpPqQxzF]/.test(command)) this.isUnderstood = false;
        this.#skip(/[ \t\d]/);
        if (!/[;\n}]|undefined/.test(String(this.script[this.#at])) && command !== "{") this.isUnderstood = false;
    }
  }

  /** Text reaches to the end of a line that does not end with a backslash of its own. */
  #text(): void {
    let line = this.#line();
    // A first backslash may belong to the command.
    if (/^\\.*\\$/.test(line)) this.isUnderstood = false;
    for (;;) {
      if (/\\\s+$/.test(line)) this.isUnderstood = false;
      if (!CONTINUES.test(line) || this.#at >= this.script.length) return;
      line = this.#line();
    }
  }

  #substitute(): void {
    const delimiter = this.script[this.#at] ?? "";
    this.#delimited(delimiter);
    this.#at--;
    this.#delimited(delimiter, false);
    for (; this.isUnderstood && this.#at < this.script.length; this.#at++) {
      const flag = this.script[this.#at] as string;
      if (flag === "e") this.runsCommands = true;
      else if (flag === "w") {
        this.#at++;
        this.writes.push(this.#line());
        return;
      } else if (/[;\n}#]/.test(flag)) return;
      else if (!/[gpiImM\d \t]/.test(flag)) this.isUnderstood = false;
    }
  }
}
