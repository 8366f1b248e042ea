import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newNonce } from "../../host/index.js";

/**
 * Arguments as `bwrap --args` reads them from a descriptor: there, other users do not see the variables of a command. An unlinked file,
 * opened at its start.
 */
export function argumentsFile(args: readonly string[]): number {
  const path = join(tmpdir(), `haft-arguments-${newNonce()}`);
  const writer = openSync(path, "wx", 0o600);
  let reader: number | undefined;
  try {
    reader = openSync(path, "r");
    unlinkSync(path);
    const bytes = Buffer.from(args.map((one) => `${one}\0`).join(""));
    for (let at = 0; at < bytes.length; ) at += writeSync(writer, bytes, at);
    return reader;
  } catch (thrown) {
    if (reader !== undefined) closeSync(reader);
    throw thrown;
  } finally {
    closeSync(writer);
  }
}
