import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { killAfter } from "../../../host/index.js";
import { shortageOf } from "../../../kernel/index.js";

/** An older one is several times slower on some patterns. */
const OLDEST_RIPGREP = 15;
/** Milliseconds that a program has to tell its version. */
const PROBE_MS = 5_000;
const VERSION_BYTES = 200;

/** A ripgrep that can be started. */
export interface RipgrepProgram {
  /** Absolute. */
  readonly path: string;
  /** For end records: "ripgrep 15.0.0". */
  readonly engine: string;
}

export interface RipgrepPlaces {
  /** The program that a package brings. Rejects where there is none for this machine. */
  packaged(): Promise<string>;
  /** Directories to look in next, divided by colons. */
  readonly path: string;
}

/**
 * Looks for ripgrep once, when it is first asked for: the packaged one, else one on PATH that is new enough. Where a program
 * could not be started for want of descriptors, processes or memory, the next search looks again.
 */
export class RipgrepFinder {
  readonly #places: RipgrepPlaces;
  #found: Promise<RipgrepProgram | undefined> | undefined;

  constructor(places: RipgrepPlaces = { packaged: packagedRipgrep, path: process.env.PATH ?? "" }) {
    this.#places = places;
  }

  /** Undefined where there is none. Never rejects. */
  find(): Promise<RipgrepProgram | undefined> {
    this.#found ??= this.#find().catch(() => {
      this.#found = undefined;
      return undefined;
    });
    return this.#found;
  }

  /** Rejects where a program could not be started for a shortage. */
  async #find(): Promise<RipgrepProgram | undefined> {
    const packaged = await this.#places.packaged().catch(() => undefined);
    for (const path of [packaged, programOnPath(this.#places.path)]) {
      const version = path === undefined ? undefined : await versionOf(path);
      if (path !== undefined && version !== undefined && version[0] >= OLDEST_RIPGREP) {
        return { path, engine: `ripgrep ${version.join(".")}` };
      }
    }
    return undefined;
  }
}

/** Rejects where no platform package fits. A failed import is remembered for good: load it while descriptors are free. */
export const loadRipgrepPackage = () => import("@vscode/ripgrep");

async function packagedRipgrep(): Promise<string> {
  const { rgPath } = await loadRipgrepPackage();
  return rgPath;
}

/** The first `rg` in an absolute directory of `path`; what lies in a relative one depends on where we stand. */
function programOnPath(path: string): string | undefined {
  for (const directory of path.split(":").filter((one) => isAbsolute(one))) {
    const file = join(directory, "rg");
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** Rejects where the program could not be started for a shortage. */
function versionOf(path: string): Promise<[number, number, number] | undefined> {
  return new Promise((resolve, reject) => {
    // A shortage says nothing about the program.
    const notStarted = (thrown: unknown) => (shortageOf(thrown) === undefined ? resolve(undefined) : reject(thrown));
    try {
      const child = spawn(path, ["--no-config", "--version"], { env: {}, stdio: ["ignore", "pipe", "ignore"] });
      killAfter(child, PROBE_MS);
      let output = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        output = (output + chunk.toString("latin1")).slice(0, VERSION_BYTES);
      });
      child.once("error", notStarted);
      child.once("close", (code) => {
        const [, major, minor, patch] = /^ripgrep (\d+)\.(\d+)\.(\d+)/.exec(output) ?? [];
        resolve(code !== 0 || major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]);
      });
    } catch (thrown) {
      notStarted(thrown);
    }
  });
}
