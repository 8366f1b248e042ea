import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** An older one is several times slower on some patterns. */
const OLDEST_RIPGREP = 15;
/** Milliseconds that a program has to tell its version. */
const PROBE_MS = 5_000;

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
  /** Folders to look in next, divided by colons. */
  readonly path: string;
}

/** Looks for ripgrep once, when it is first asked for: the packaged one, else one on PATH that is new enough. */
export class RipgrepFinder {
  readonly #places: RipgrepPlaces;
  #found: Promise<RipgrepProgram | undefined> | undefined;

  constructor(places: RipgrepPlaces = { packaged: packagedRipgrep, path: process.env.PATH ?? "" }) {
    this.#places = places;
  }

  /** Undefined where there is none. Never rejects. */
  find(): Promise<RipgrepProgram | undefined> {
    this.#found ??= this.#look();
    return this.#found;
  }

  async #look(): Promise<RipgrepProgram | undefined> {
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

/** The import fails where no platform package fits. */
async function packagedRipgrep(): Promise<string> {
  const { rgPath } = await import("@vscode/ripgrep");
  return rgPath;
}

/** The first `rg` in an absolute folder of `path`; what lies in a relative one depends on where we stand. */
function programOnPath(path: string): string | undefined {
  for (const folder of path.split(":").filter((one) => isAbsolute(one))) {
    const file = join(folder, "rg");
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

function versionOf(path: string): Promise<[number, number, number] | undefined> {
  return new Promise((resolve) => {
    execFile(
      path,
      ["--no-config", "--version"],
      { timeout: PROBE_MS, killSignal: "SIGKILL", env: {} },
      (error, output) => {
        const [, major, minor, patch] = /^ripgrep (\d+)\.(\d+)\.(\d+)/.exec(output) ?? [];
        resolve(error !== null || major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]);
      },
    );
  });
}
