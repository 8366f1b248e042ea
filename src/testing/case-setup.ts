/** The few words that the cases share. */
import type { Fs } from "../kernel/index.js";
import type { Fixture } from "./fixture.js";
import { bindAll } from "./fixture.js";
import type { Case } from "./plan.js";

const encoder = new TextEncoder();

/** A case over a backend. */
export function on(id: string, behavior: string, run: (fixture: Fixture) => Promise<void>): Case<Fixture> {
  return { id, behavior, run };
}

/** A case over the files of a backend, with ports that may touch everything. */
export function onFs(
  id: string,
  behavior: string,
  run: (fs: Fs, path: (name: string) => string, fixture: Fixture) => Promise<void>,
): Case<Fixture> {
  return { id, behavior, run: (fixture) => run(bindAll(fixture).fs, (name) => `${fixture.folder}/${name}`, fixture) };
}

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Bytes as text, invalid ones shown as U+FFFD. */
export function shown(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** SHA-256 as hex. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The same bytes for the same seed on every machine, with all 256 values among them. */
export function pseudoRandomBytes(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed >>> 0 || 1;
  for (let index = 0; index < length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state & 0xff;
  }
  return bytes;
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Everything that an iteration yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
