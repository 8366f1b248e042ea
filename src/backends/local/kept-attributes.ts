import { type BigIntStats, closeSync, constants, openSync } from "node:fs";
import { lookForAttributes } from "./attribute-look.js";
import { runAttributeTool } from "./attribute-tool.js";
import type { HeldFolder } from "./fs-anchor.js";
import type { OpenFile } from "./fs-read.js";

const REMEMBERED_FILES = 10_000;
/** What a `cp` says that does not know the option; then nobody here can tell or copy attributes. */
const UNKNOWN_OPTION = /attributes-only|unrecognized option|illegal option|invalid option/i;

/** Whether a file has attributes, and when it was changed last when that was so. */
interface Known {
  readonly has: boolean;
  readonly ctimeNs: bigint;
}

/**
 * Keeps access control lists and extended attributes of a file that is about to be replaced. Node cannot see them. GNU `tar`
 * tells whether it or its folder has any, and GNU `cp --attributes-only` copies them, each about 2 ms while the bytes are
 * written. What has been told holds for the file that takes the place of the old one as well, for as long as nobody else
 * changes it; of a file that this process has made nothing is known, since its folder may have given it some. Where there
 * is no GNU `tar` all are copied; where there is no GNU `cp` they are not seen, and a replaced file loses them.
 */
export class KeptAttributes {
  readonly #known = new Map<string, Known>();
  #canLook = true;
  #canCopy = true;

  /** A file of this process has taken the place of another, whose attributes it was given. */
  succeed(old: BigIntStats, made: BigIntStats): void {
    const has = this.#has(old);
    if (has === undefined) return;
    this.#known.delete(identityOf(old));
    this.#note(made, has);
  }

  /** False when the file has attributes that the new one cannot be given, or may have: the copy did not come about. */
  async copy(source: OpenFile, descriptor: number, folder: HeldFolder): Promise<boolean> {
    if (!this.#canCopy) return true;
    const has = this.#has(source.info) ?? (await this.#look(source, folder));
    if (has === false) return true;
    const copied = await copyAttributes(source.descriptor, descriptor);
    if (copied === "no GNU cp") this.#canCopy = false;
    if (copied === "copied") this.#note(source.info, true);
    return copied !== "failed";
  }

  /** Undefined where that cannot be told. */
  async #look(source: OpenFile, folder: HeldFolder): Promise<boolean | undefined> {
    if (!this.#canLook) return undefined;
    let descriptor: number;
    try {
      descriptor = openSync(folder.at(""), constants.O_RDONLY | constants.O_DIRECTORY);
    } catch {
      return undefined;
    }
    const seen = await lookForAttributes(descriptor, source.descriptor);
    closeSync(descriptor);
    if (seen === "never") this.#canLook = false;
    if (seen === "never" || seen === "unknown") return undefined;
    this.#note(source.info, seen === "some");
    return seen === "some";
  }

  #has(info: BigIntStats): boolean | undefined {
    const known = this.#known.get(identityOf(info));
    return known?.ctimeNs === info.ctimeNs ? known.has : undefined;
  }

  #note(info: BigIntStats, has: boolean): void {
    if (this.#known.size >= REMEMBERED_FILES) this.#known.clear();
    this.#known.set(identityOf(info), { has, ctimeNs: info.ctimeNs });
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}-${ino}`;
}

async function copyAttributes(from: number, to: number): Promise<"copied" | "failed" | "no GNU cp"> {
  const options = ["--attributes-only", "--preserve=mode,ownership,xattr", "--", "/proc/self/fd/3", "/proc/self/fd/4"];
  const ran = await runAttributeTool({ program: "cp", options, descriptors: [from, to] });
  if (typeof ran === "string") return ran === "absent" ? "no GNU cp" : "failed";
  if (ran.code === 0) return "copied";
  return UNKNOWN_OPTION.test(ran.said) ? "no GNU cp" : "failed";
}
