/** Finds the ripgrep of the remote machine. */
import { isWithin } from "../../../kernel/index.js";
import { parseVersion } from "../../ripgrep/index.js";
import type { StartOwnCommand } from "../shell/own-command.js";

/** Versions whose flags and output are known. */
const OLDEST_RIPGREP = 13;
const NEWEST_RIPGREP = 15;

export interface RemoteRipgrep {
  /** Absolute. */
  readonly path: string;
  /** For end records: "ripgrep 13.0.0". */
  readonly engine: string;
  /** Versions before 15 take quadratic time for some patterns across lines, and count fewer files. */
  readonly isOld: boolean;
}

/** Older versions: see `isOld`. */
const FULL_RIPGREP = 15;

const ANYWHERE = { allowed: "*", authorize: async () => {} };

/** Asks the remote machine once. */
export class RemoteRipgrepFinder {
  readonly #start: StartOwnCommand;
  #found: Promise<RemoteRipgrep | undefined> | undefined;

  constructor(start: StartOwnCommand) {
    this.#start = start;
  }

  /** Undefined where there is none that is known. @param workspace - Programs in it are not run, because calls can write there. */
  async find(workspace: string | undefined): Promise<RemoteRipgrep | undefined> {
    this.#found ??= this.#ask();
    const found = await this.#found;
    return found === undefined || (workspace !== undefined && isWithin(workspace, found.path)) ? undefined : found;
  }

  async #ask(): Promise<RemoteRipgrep | undefined> {
    const { signal } = new AbortController();
    const command = "command -v rg && rg --no-config --version";
    const program = this.#start({ command, cwd: "/", directories: ANYWHERE, signal, isSingle: false });
    let output = "";
    for await (const chunk of program.output()) output += chunk.toString();
    if ((await program.status) === undefined) this.#found = undefined;
    const [path = "", ...version] = output.split("\n");
    const [major, minor, patch] = parseVersion(version.join("\n")) ?? [0, 0, 0];
    const isKnown = major >= OLDEST_RIPGREP && major <= NEWEST_RIPGREP;
    if (!isKnown || !path.startsWith("/")) return undefined;
    return { path, engine: `ripgrep ${major}.${minor}.${patch}`, isOld: major < FULL_RIPGREP };
  }
}
