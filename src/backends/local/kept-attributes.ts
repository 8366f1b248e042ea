import { spawn } from "node:child_process";
import type { BigIntStats } from "node:fs";
import { systemCode } from "./fs-faults.js";
import type { OpenFile } from "./fs-read.js";

const REMEMBERED_FILES = 10_000;
const COPY_TIMEOUT_MS = 5_000;
/** What a `cp` says that does not know the option; then nobody here can tell or copy attributes. */
const UNKNOWN_OPTION = /attributes-only|unrecognized option|illegal option|invalid option/i;

/**
 * Keeps access control lists and extended attributes of a file that is about to be replaced. Node cannot see them, so GNU
 * `cp --attributes-only` copies them, about 2 ms while the bytes are written; a file that this process made itself and nobody
 * else has changed since has none and needs no copy. Where there is no GNU `cp` they are not seen, and a replaced file loses
 * them.
 */
export class KeptAttributes {
  /** When a file was changed last by us, for those that are ours alone. */
  readonly #own = new Map<string, bigint>();
  #canCopy = true;

  /** The file has just been made by this process, with what its folder gives it and nothing else. */
  remember(made: BigIntStats): void {
    if (this.#own.size >= REMEMBERED_FILES) this.#own.clear();
    this.#own.set(identityOf(made), made.ctimeNs);
  }

  /** One file of this process has taken the place of another: it has as little of its own as that had. */
  succeed(old: BigIntStats, made: BigIntStats): void {
    if (!this.#isOwn(old)) return;
    this.#own.delete(identityOf(old));
    this.remember(made);
  }

  /** False when the file has attributes that the new one cannot be given, or may have: the copy did not come about. */
  async copy(source: OpenFile, descriptor: number): Promise<boolean> {
    if (!this.#canCopy || this.#isOwn(source.info)) return true;
    const copied = await copyAttributes(source.descriptor, descriptor);
    if (copied === "no GNU cp") this.#canCopy = false;
    return copied !== "failed";
  }

  #isOwn(info: BigIntStats): boolean {
    return this.#own.get(identityOf(info)) === info.ctimeNs;
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}-${ino}`;
}

function copyAttributes(from: number, to: number): Promise<"copied" | "failed" | "no GNU cp"> {
  const options = ["--attributes-only", "--preserve=mode,ownership,xattr", "--", "/proc/self/fd/3", "/proc/self/fd/4"];
  return new Promise((resolve) => {
    // Only a `cp` that is not there will not be there the next time: a machine may be short of processes for a moment.
    const notStarted = (thrown: unknown) => resolve(systemCode(thrown) === "ENOENT" ? "no GNU cp" : "failed");
    try {
      const child = spawn("cp", options, {
        stdio: ["ignore", "ignore", "pipe", from, to],
        env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
        timeout: COPY_TIMEOUT_MS,
      });
      let said = "";
      child.stderr?.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString("latin1")).slice(0, 2000);
      });
      child.once("error", notStarted);
      child.once("close", (code) => {
        if (code === 0) resolve("copied");
        else resolve(UNKNOWN_OPTION.test(said) ? "no GNU cp" : "failed");
      });
    } catch (thrown) {
      notStarted(thrown);
    }
  });
}
