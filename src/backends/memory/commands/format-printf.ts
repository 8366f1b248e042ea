/** The format language of printf, as far as scripts use it: %s %b %c %d %i %u %x %X %o %% with flags and width, and escapes. */
import { concatBytes } from "../../../text/index.js";

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};
const SPECIFIER =
  /%(%|([-+ 0#]*)(\d+)?(?:\.(\d+))?([sbcdiuxXo]))|\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([\s\S]))|([^%\\]+|%|\\)/g;

/** The format is reused while arguments remain. `problem` is called for an argument that is not a number, which counts as 0. */
export function formatPrintf(
  format: string,
  args: readonly string[],
): { readonly bytes: Uint8Array; readonly problem?: string } {
  const pieces: Uint8Array[] = [];
  let problem: string | undefined;
  let next = 0;
  do {
    const before = next;
    for (const match of format.matchAll(SPECIFIER)) {
      const [, percent, flags = "", width, precision, letter, hex, octal, escaped, plain] = match;
      if (percent === "%") pieces.push(utf8("%"));
      else if (letter !== undefined) {
        const formatted = convert(
          letter,
          args[next] ?? (letter === "s" || letter === "b" || letter === "c" ? "" : "0"),
          flags,
          width,
          precision,
        );
        next += 1;
        problem ??= formatted.problem;
        pieces.push(formatted.bytes);
      } else pieces.push(plain !== undefined ? utf8(plain) : unescaped(hex, octal, escaped));
    }
    if (next === before) break;
  } while (next < args.length);
  const bytes = concatBytes(pieces);
  return problem === undefined ? { bytes } : { bytes, problem };
}

function convert(
  letter: string,
  argument: string,
  flags: string,
  width: string | undefined,
  precision: string | undefined,
): { bytes: Uint8Array; problem?: string } {
  if (letter === "b")
    return {
      bytes: concatBytes(
        [...argument.matchAll(SPECIFIER)].map(([all, , , , , , hex, octal, escaped]) =>
          all.startsWith("\\") && all.length > 1 ? unescaped(hex, octal, escaped) : utf8(all),
        ),
      ),
    };
  if (letter === "c") return { bytes: padded(utf8(argument).subarray(0, 1), flags, width) };
  if (letter === "s") {
    const text = utf8(argument);
    return { bytes: padded(precision === undefined ? text : text.subarray(0, Number(precision)), flags, width) };
  }
  const isCharacter = /^['"]/.test(argument);
  const value = isCharacter ? (argument.codePointAt(1) ?? 0) : Number(argument.trim());
  const isNumber = Number.isInteger(value) && argument.trim() !== "";
  const digits = numberText(letter, isNumber ? value : 0, flags);
  const isZeroPadded = flags.includes("0") && !flags.includes("-") && width !== undefined;
  const bytes = isZeroPadded
    ? utf8(digits.replace(/^([+-]?)/, `$1${"0".repeat(Math.max(0, Number(width) - digits.length))}`))
    : padded(utf8(digits), flags, width);
  return isNumber ? { bytes } : { bytes, problem: `${argument}: not a number` };
}

function numberText(letter: string, value: number, flags: string): string {
  if (letter === "x") return value.toString(16);
  if (letter === "X") return value.toString(16).toUpperCase();
  if (letter === "o") return value.toString(8);
  return value >= 0 && flags.includes("+") ? `+${value}` : String(value);
}

function padded(bytes: Uint8Array, flags: string, width: string | undefined): Uint8Array {
  const whitespace = utf8(" ".repeat(Math.max(0, Number(width ?? 0) - bytes.length)));
  return flags.includes("-") ? concatBytes([bytes, whitespace]) : concatBytes([whitespace, bytes]);
}

function unescaped(hex: string | undefined, octal: string | undefined, escaped: string | undefined): Uint8Array {
  if (hex !== undefined) return Uint8Array.of(Number.parseInt(hex, 16));
  if (octal !== undefined) return Uint8Array.of(Number.parseInt(octal, 8) & 0xff);
  return utf8(ESCAPES[escaped as string] ?? `\\${escaped}`);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
