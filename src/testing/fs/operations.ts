/** The operations that take one path, and what a case does with all of them. */
import type { ErrorCode, Fs } from "../../kernel/index.js";
import { collect, utf8 } from "../case-setup.js";
import { expectError } from "../expect.js";

export type Operation = (fs: Fs, path: string) => Promise<unknown>;

export const READS: Readonly<Record<string, Operation>> = {
  readText: (fs, path) => fs.readText(path),
  readBytes: (fs, path) => fs.readBytes(path),
  readRange: (fs, path) => fs.readRange(path, 0, 10),
  openRead: (fs, path) => collect(fs.openRead(path)),
  readPastLines: async (fs, path) => (await fs.readPastLines?.(path, 0, 1, 10)) ?? fs.readRange(path, 0, 10),
};
export const LOOKS: Readonly<Record<string, Operation>> = {
  stat: (fs, path) => fs.stat(path),
  readDir: (fs, path) => fs.readDir(path),
  resolve: (fs, path) => fs.resolve([path]),
};
export const WRITES: Readonly<Record<string, Operation>> = {
  writeFile: (fs, path) => fs.writeFile(path, "written"),
  replaceAny: (fs, path) => fs.replaceAtomic(path, utf8("written"), "any"),
  replaceAbsent: (fs, path) => fs.replaceAtomic(path, utf8("written"), "absent"),
  replaceFrom: (fs, path) => fs.replaceFrom(path, oneChunk(), "absent"),
  mkdir: (fs, path) => fs.mkdir(path, false),
  mkdirRecursive: (fs, path) => fs.mkdir(path, true),
};
export const REMOVALS: Readonly<Record<string, Operation>> = {
  rm: (fs, path) => fs.rm(path, { recursive: false, ignoreMissing: false }),
  rmRecursive: (fs, path) => fs.rm(path, { recursive: true, ignoreMissing: true }),
  renameFrom: (fs, path) => fs.rename(path, `${path}.moved`, { replace: true }),
};
export const ALL: Readonly<Record<string, Operation>> = { ...READS, ...LOOKS, ...WRITES, ...REMOVALS };

async function* oneChunk(): AsyncGenerator<Uint8Array, void> {
  yield utf8("written");
}

export async function refuseEach(
  operations: Readonly<Record<string, Operation>>,
  fs: Fs,
  path: string,
  codes: ErrorCode | readonly ErrorCode[],
): Promise<void> {
  for (const [name, operation] of Object.entries(operations)) {
    await expectError(() => operation(fs, path), codes, `${name} of ${path}`);
  }
}

/** An object in place of a path: whoever reads it gets `first` the first `times` times, and `then` afterwards. */
export function changingPath(first: string, then: string, times: number): string {
  let reads = 0;
  const read = () => (reads++ < times ? first : then);
  const member = (_: object, key: string | symbol): unknown => {
    if (key === Symbol.toPrimitive || key === "toString" || key === "valueOf") return read;
    const value: unknown = Reflect.get(Object(first), key, first);
    return typeof value === "function" ? (...values: unknown[]) => Reflect.apply(value, read(), values) : value;
  };
  return new Proxy({}, { get: member }) as unknown as string;
}
