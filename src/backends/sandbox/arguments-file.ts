import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { newNonce, scratchDirectories } from "../../host/index.js";

/**
 * Arguments as `bwrap --args` reads them from a descriptor: there, other users do not see the variables of a command. An unlinked file,
 * opened at its start.
 * @param directories - Where it is made: in the first one where that is possible.
 */
export function argumentsFile(args: readonly string[], directories = scratchDirectories()): number {
  const bytes = Buffer.from(args.map((one) => `${one}\0`).join(""));
  let problem: unknown;
  for (const directory of directories) {
    try {
      return unlinkedFile(join(directory, `haft-arguments-${newNonce()}`), bytes);
    } catch (thrown) {
      problem = thrown;
    }
  }
  throw problem;
}

/** @throws The system's error; then nothing stays. */
function unlinkedFile(path: string, bytes: Uint8Array): number {
  const writer = openSync(path, "wx", 0o600);
  let reader: number | undefined;
  try {
    unlinkSync(path);
    reader = openSync(`/proc/self/fd/${writer}`, "r");
    for (let at = 0; at < bytes.length; ) at += writeSync(writer, bytes, at);
    return reader;
  } catch (thrown) {
    if (reader !== undefined) closeSync(reader);
    throw thrown;
  } finally {
    closeSync(writer);
  }
}
