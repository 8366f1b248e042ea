/** Redacts bytes that arrive in parts, such as the output of a command. */
import { concatBytes, incompleteTailLength, isUtf8 } from "../text/index.js";
import { redactText } from "./redact-text.js";
import type { Redactor } from "./services.js";

/** What waits for the next part, at most: longer than a secret is. */
const MAX_HELD_BYTES = 16 * 1024;
/** The same of an incomplete line, for a redactor that cannot say what is incomplete. */
const MAX_HELD_LINE = 4 * 1024;
const CHUNK = 8 * 1024;

/** Holds back what may be the beginning of a secret until the next part, or the end. */
export class RedactedStream {
  #held = new Uint8Array();

  constructor(private readonly redactor: Redactor) {}

  get heldBytes(): number {
    return this.#held.length;
  }

  /** What can be shown now. The same bytes where nothing in them is secret. @throws What the redactor throws. */
  push(bytes: Uint8Array): Uint8Array {
    const all = this.#held.length === 0 ? bytes : concatBytes([this.#held, bytes]);
    const end = all.length - incompleteSecretBytes(this.redactor, all);
    this.#held = all.slice(end);
    return redactBytes(this.redactor, all.subarray(0, end));
  }

  /** The rest. */
  end(): Uint8Array {
    const rest = this.#held;
    this.#held = new Uint8Array();
    return redactBytes(this.redactor, rest);
  }
}

/** How many bytes at the end may be the beginning of a secret, or of a character. */
export function incompleteSecretBytes(redactor: Redactor, bytes: Uint8Array): number {
  const tail = bytes.subarray(Math.max(0, bytes.length - MAX_HELD_BYTES));
  const partial = incompleteTailLength(tail);
  const text = textOf(tail.subarray(0, tail.length - partial));
  const held =
    redactor.incompleteLength === undefined
      ? Math.min(MAX_HELD_LINE, text.length - 1 - text.lastIndexOf("\n"))
      : redactor.incompleteLength(text);
  return held === 0 ? partial : partial + bytesOf(text.slice(-held)).length;
}

function redactBytes(redactor: Redactor, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes;
  const text = textOf(bytes);
  const redacted = redactText(redactor, text);
  return redacted === text ? bytes : bytesOf(redacted);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
/** Where bytes that are not UTF-8 are in a text: one private character for each. */
const BYTE_BASE = 0xf700;

/** Bytes that are not UTF-8 become a character each, so that they can be written back. */
function textOf(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return decoder.decode(bytes);
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(
      ...Array.from(bytes.subarray(at, at + CHUNK), (byte) => (byte < 0x80 ? byte : BYTE_BASE + byte)),
    );
  return text;
}

function bytesOf(text: string): Uint8Array {
  if (!/[\uf780-\uf7ff]/.test(text)) return encoder.encode(text);
  const parts = text.split(/([\uf780-\uf7ff]+)/);
  return concatBytes(
    parts.map((part, at) =>
      at % 2 === 0 ? encoder.encode(part) : Uint8Array.from(part, (one) => one.charCodeAt(0) - BYTE_BASE),
    ),
  );
}
