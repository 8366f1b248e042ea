import { spawn } from "node:child_process";
import { killAfter, programOnPath } from "../../../host/index.js";
import { shortageOf } from "../../../kernel/index.js";
import { parseVersion } from "../../ripgrep/index.js";

/** Older versions are several times slower on some patterns. */
const OLDEST_RIPGREP = 15;
/** Timeout of `rg --version` in milliseconds. */
const PROBE_MS = 5_000;
const VERSION_BYTES = 200;

/** A ripgrep that can be started. */
export interface RipgrepProgram {
  /** Absolute. */
  readonly path: string;
  /** For end records: "ripgrep 15.0.0". */
  readonly engine: string;
}

interface RipgrepPlaces {
  /** The program of an installed package. Rejects if there is none for this platform. */
  packaged(): Promise<string>;
  /** Directories to search next, separated by colons. */
  readonly path: string;
  /** An absolute directory whose programs are not run, because calls can write there. */
  readonly workspace?: string | undefined;
}

/**
 * Looks for ripgrep once, on first use: the packaged one, else one on PATH that is new enough. If a program could not be
 * started for lack of descriptors, processes or memory, the next search looks again.
 */
export class RipgrepFinder {
  readonly #places: RipgrepPlaces;
  #found: Promise<RipgrepProgram | undefined> | undefined;

  constructor(places: Partial<RipgrepPlaces> = {}) {
    this.#places = { packaged: packagedRipgrep, path: process.env.PATH ?? "", ...places };
  }

  /** Undefined where there is none. Never rejects. */
  find(): Promise<RipgrepProgram | undefined> {
    this.#found ??= this.#find().catch(() => {
      this.#found = undefined;
      return undefined;
    });
    return this.#found;
  }

  /** Rejects if a program could not be started for lack of resources. */
  async #find(): Promise<RipgrepProgram | undefined> {
    const packaged = await this.#places.packaged().catch(() => undefined);
    for (const path of [packaged, programOnPath("rg", this.#places)]) {
      const version = path === undefined ? undefined : await versionOf(path);
      if (path !== undefined && version !== undefined && version[0] >= OLDEST_RIPGREP) {
        return { path, engine: `ripgrep ${version.join(".")}` };
      }
    }
    return undefined;
  }
}

/** Rejects if no platform package fits. Node.js caches a failed import forever, so load it while descriptors are free. */
export const loadRipgrepPackage = () => import("@vscode/ripgrep");

async function packagedRipgrep(): Promise<string> {
  const { rgPath } = await loadRipgrepPackage();
  return rgPath;
}

/** Rejects if the program could not be started for lack of resources. */
function versionOf(path: string): Promise<readonly [number, number, number] | undefined> {
  return new Promise((resolve, reject) => {
    // A lack of resources is not a fault of the program.
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
        resolve(code === 0 ? parseVersion(output) : undefined);
      });
    } catch (thrown) {
      notStarted(thrown);
    }
  });
}
