/** Redacts texts, by themselves and in plain data. */
import type { Claim } from "./claims.js";
import { ignoreRejection } from "./errors.js";
import { maskHeaders } from "./mask-headers.js";
import type { Redactor } from "./services.js";

/** Redacts a text; without a redactor it is returned as it is. Throws where the redactor returns anything but a string. */
export function redactText(redactor: Redactor | undefined, text: string): string {
  if (redactor === undefined) return text;
  const redacted: unknown = redactor.redact(text);
  if (typeof redacted === "string") return redacted;
  ignoreRejection(redacted);
  throw new TypeError("the redactor did not return a string");
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|(["\\/bfnrt]))/g;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * Redacts a text that may be JSON, or hold JSON in its strings: as it is, and with its escapes decoded as often as there are any.
 * Where a decoded form holds a secret, that form is returned.
 */
export function redactEscaped(redactor: Redactor | undefined, text: string): string {
  let shown = redactText(redactor, text);
  if (redactor === undefined || !shown.includes("\\")) return shown;
  // Each decoding of an escape shortens the text, so this ends.
  for (let form = shown; ; ) {
    const decoded = form.replace(ESCAPE, (_, code: string | undefined, short = "") =>
      code === undefined ? (SHORT_ESCAPES[short] ?? short) : String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (decoded === form) return shown;
    form = redactText(redactor, decoded);
    if (form !== decoded) shown = form;
  }
}

/**
 * Two texts to compare, in which no part of a secret is left. The lines of a diff are parts of a text, in which a redactor does not
 * find a secret of several lines: undefined for texts with one.
 */
export function redactedPair(
  redactor: Redactor | undefined,
  before: string,
  after: string,
): readonly [string, string] | undefined {
  const [old, next] = [redactText(redactor, before), redactText(redactor, after)];
  const linesOf = (text: string) => text.split("\n").length;
  return linesOf(old) === linesOf(before) && linesOf(next) === linesOf(after) ? [old, next] : undefined;
}

/** A copy of plain data with every text of it changed; bytes stay, and so do the names of properties unless `changeName` is given. */
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  changeName?: (name: string) => string,
): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, changeName));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  // A Date becomes its JSON text.
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return mapTexts((value as { toJSON(): unknown }).toJSON(), change, changeName);
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const changed = changeName === undefined ? key : changeName(key);
    let name = changed;
    // Two names may become one.
    for (let count = 2; Object.hasOwn(copy, name); count++) name = `${changed} (${count})`;
    const mapped = mapTexts((value as Readonly<Record<string, unknown>>)[key], change, changeName);
    // An assignment would change the prototype instead.
    if (name === "__proto__")
      Object.defineProperty(copy, name, { value: mapped, enumerable: true, writable: true, configurable: true });
    else copy[name] = mapped;
  }
  return copy;
}

/** Claims with every text changed, names of environment variables too, and without credentials in headers. */
export function mapClaims(claims: readonly Claim[], change: (text: string) => string): readonly Claim[] {
  return claims.map((claim) => {
    const changed = mapTexts(claim.kind === "network" ? maskHeaders(claim) : claim, change) as Claim;
    if (changed.kind !== "command" || claim.kind !== "command" || claim.env === undefined) return changed;
    return { ...changed, env: mapTexts(claim.env, change, change) as Readonly<Record<string, string>> };
  });
}
