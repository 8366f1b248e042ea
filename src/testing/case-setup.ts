/** Helpers of the cases. */
import type { Fs } from "../kernel/index.js";
import { bindAll, type Fixture, fixtureProblem, requireFixture } from "./fixture.js";
import type { Case } from "./plan.js";

const encoder = new TextEncoder();

/** A case over a backend. A fixture that no case can work with is reported in place of what this one makes of it. */
export function on(id: string, behavior: string, run: (fixture: Fixture) => Promise<void>): Case<Fixture> {
  return {
    id,
    behavior,
    async run(fixture) {
      requireFixture(fixture);
      try {
        await run(fixture);
      } catch (thrown) {
        const problem = await fixtureProblem(fixture);
        throw problem === undefined ? thrown : new Error(problem, { cause: thrown });
      }
    },
  };
}

/** A case over the files of a backend, with ports that may touch everything. */
export function onFs(
  id: string,
  behavior: string,
  run: (fs: Fs, path: (name: string) => string, fixture: Fixture) => Promise<void>,
): Case<Fixture> {
  return on(id, behavior, (fixture) => run(bindAll(fixture).fs, (name) => `${fixture.directory}/${name}`, fixture));
}

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Bytes as text, invalid ones shown as U+FFFD. */
export function shown(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
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

/** The bytes in chunks of different sizes. Each chunk is overwritten once the next one is requested, as a scan of a file does. */
export async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array, void> {
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const chunk = bytes.slice(at, at + sizes[index % sizes.length]!);
    at += chunk.length;
    yield chunk;
    chunk.fill(0x21);
  }
}

/** Everything that an iteration yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
