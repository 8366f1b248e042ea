import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { newNonce, scratchDirectories } from "../../host/index.js";

/**
 * The arguments of a command, as `bwrap --args` reads them from a descriptor: there, other users do not see its variables. They are
 * written to an unlinked file, which is used again for a command with the same key.
 */
export class ArgumentsFile {
  readonly #directories: readonly string[];
  #key: string | undefined;
  #file: number | undefined;

  /** @param directories - Where it is made: in the first one where that is possible. */
  constructor(directories = scratchDirectories()) {
    this.#directories = directories;
  }

  /**
   * A descriptor of the file, at its start, for whoever closes it.
   * @param make - Called where the key is not that of the last call.
   */
  open(key: string, make: () => readonly string[]): number {
    if (key !== this.#key || this.#file === undefined) {
      this.close();
      this.#file = this.#write(
        Buffer.from(
          make()
            .map((one) => `${one}\0`)
            .join(""),
        ),
      );
      this.#key = key;
    }
    return openSync(`/proc/self/fd/${this.#file}`, "r");
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(bytes: Uint8Array): number {
    let problem: unknown;
    for (const directory of this.#directories) {
      try {
        return unlinkedFile(join(directory, `haft-arguments-${newNonce()}`), bytes);
      } catch (thrown) {
        problem = thrown;
      }
    }
    throw problem;
  }
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
