/** The assertions of the suites. They throw an Error with expected and actual value, for any test runner. */
import { type ErrorCode, HaftError, messageOf } from "../kernel/index.js";

/** Fails unless `condition` is true; `what` is the sentence that should be true. */
export function expectThat(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`Expected: ${what}.`);
}

/** Fails unless both are equal by structure. Byte arrays are compared by content, absent and undefined members alike. */
export function expectEqual(got: unknown, expected: unknown, what: string): void {
  if (equal(got, expected)) return;
  throw new Error(`${what}: expected ${show(expected)}, got ${show(got)}.`);
}

/** Fails unless `got` is exactly these bytes; reports the first difference instead of printing megabytes. */
export function expectBytes(got: Uint8Array, expected: Uint8Array | string, what: string): void {
  const wanted = typeof expected === "string" ? new TextEncoder().encode(expected) : expected;
  const shorter = Math.min(got.length, wanted.length);
  let at = 0;
  while (at < shorter && got[at] === wanted[at]) at += 1;
  if (at === got.length && at === wanted.length) return;
  const around = (bytes: Uint8Array) => show(bytes.subarray(Math.max(0, at - 8), at + 24));
  throw new Error(
    `${what}: expected ${wanted.length} bytes, got ${got.length}; they differ from byte ${at}: expected ${around(wanted)}, got ${around(got)}.`,
  );
}

/**
 * Fails unless `work` rejects with a HaftError of one of the codes; returns that error.
 * A rejection with anything else fails too and names it.
 */
export async function expectError(
  work: PromiseLike<unknown> | (() => PromiseLike<unknown>),
  codes: ErrorCode | readonly ErrorCode[],
  what: string,
): Promise<HaftError> {
  const wanted: readonly ErrorCode[] = typeof codes === "string" ? [codes] : codes;
  let value: unknown;
  try {
    value = await (typeof work === "function" ? work() : work);
  } catch (thrown) {
    if (HaftError.is(thrown) && wanted.includes(thrown.code)) return thrown;
    const got = HaftError.is(thrown)
      ? `${thrown.code} (${thrown.message})`
      : `an error without code: ${messageOf(thrown)}`;
    throw new Error(`${what}: expected ${wanted.join(" or ")}, got ${got}`);
  }
  throw new Error(`${what}: expected ${wanted.join(" or ")}, but it succeeded with ${show(value)}.`);
}

/** A value as short text for a message. */
function show(value: unknown): string {
  if (value instanceof Uint8Array) {
    const text = Array.from(value.subarray(0, 40), (byte) =>
      byte > 31 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
    ).join("");
    return `bytes "${text}"${value.length > 40 ? `… (${value.length})` : ""}`;
  }
  const text = JSON.stringify(value, (_key, member: unknown) => (member instanceof Uint8Array ? show(member) : member));
  if (text === undefined) return String(value);
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && a.length === b.length && a.every((x, i) => x === b[i]);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => equal(x, b[i]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => equal(left[key], right[key]));
}
