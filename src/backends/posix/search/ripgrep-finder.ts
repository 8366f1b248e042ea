/** Finds the ripgrep of the remote machine. */
import { isWithin } from "../../../kernel/index.js";
import { posixQuote } from "../../../text/index.js";
import { parseVersion } from "../../ripgrep/index.js";
import type { StartOwnCommand } from "../shell/own-command.js";
import { type StagingPlace, stageRipgrep } from "./stage-ripgrep.js";

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

/** Where a copy goes, when the machine is connected. @throws `BACKEND_UNAVAILABLE` */
type PlaceForCopy = () => Promise<StagingPlace | undefined>;

/** Asks the remote machine once for each workspace; where it may be copied, also once for each spool directory. */
export class RemoteRipgrepFinder {
  readonly #start: StartOwnCommand;
  readonly #placeForCopy: PlaceForCopy | undefined;
  readonly #found = new Map<string, Promise<RemoteRipgrep | undefined>>();
  #copied: Promise<string | undefined> | undefined;
  /** Where it is copied to: after a reconnect that may be another, and the old one is no longer ours. */
  #directory: string | undefined;

  /** @param placeForCopy - Absent: ripgrep is not copied to a machine that has none. */
  constructor(start: StartOwnCommand, placeForCopy?: PlaceForCopy) {
    this.#start = start;
    this.#placeForCopy = placeForCopy;
  }

  /**
   * Undefined where there is none that is known, nor a copy.
   *
   * @param workspace - Programs in it are not run, because calls can write there.
   */
  async find(workspace = ""): Promise<RemoteRipgrep | undefined> {
    const place = await this.#placeForCopy?.();
    if (place?.directory !== this.#directory) {
      this.#found.clear();
      this.#copied = undefined;
      this.#directory = place?.directory;
    }
    const found = this.#found.get(workspace) ?? this.#ask(workspace, place);
    this.#found.set(workspace, found);
    return found;
  }

  async #ask(workspace: string, place: StagingPlace | undefined): Promise<RemoteRipgrep | undefined> {
    const [path = ""] = (await this.#print("command -v rg", workspace)).split("\n");
    const isUsable = (program: string) => workspace === "" || !isWithin(workspace, program);
    const known = path.startsWith("/") && isUsable(path) ? await this.#known(path, workspace) : undefined;
    if (known !== undefined) return known;
    if (place === undefined || !isUsable(place.directory)) return undefined;
    this.#copied ??= stageRipgrep(place, (command) => this.#print(command, workspace));
    const copied = await this.#copied;
    return copied === undefined ? undefined : this.#known(copied, workspace);
  }

  /** The program at that path, if its version is known. */
  async #known(path: string, workspace: string): Promise<RemoteRipgrep | undefined> {
    const version = await this.#print(`${posixQuote(path)} --no-config --version`, workspace);
    const [major, minor, patch] = parseVersion(version) ?? [0, 0, 0];
    if (major < OLDEST_RIPGREP || major > NEWEST_RIPGREP) return undefined;
    return { path, engine: `ripgrep ${major}.${minor}.${patch}`, isOld: major < FULL_RIPGREP };
  }

  /** What a command prints. If it is not known how it ended, the next search asks again. */
  async #print(command: string, workspace: string): Promise<string> {
    const { signal } = new AbortController();
    const program = this.#start({ command, cwd: "/", directories: ANYWHERE, signal, isSingle: false });
    let output = "";
    for await (const chunk of program.output()) output += chunk.toString();
    if ((await program.status) === undefined) this.#found.delete(workspace);
    return output;
  }
}
