/** Where tests run the built `haft`: a workspace, and the home of a user who has configured nothing. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { cleanEnv, type Finished, runHaft, runHaftInProcess } from "./built.fixture.js";

export interface HaftOptions {
  readonly input?: string;
  /** Added to the clean environment of the home. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the workspace. */
  readonly cwd?: string;
}

export class CliPlace {
  readonly #name: string;
  #root = "";

  constructor(name: string) {
    this.#name = name;
  }

  /** Contains the workspace and the home; absolute and without symlinks. */
  get root(): string {
    return this.#root;
  }

  get workspace(): string {
    return join(this.#root, this.#name);
  }

  get home(): string {
    return join(this.#root, "home");
  }

  /** A path in the state directory that is used if none is configured. */
  state(...names: readonly string[]): string {
    return join(this.home, ".local", "state", "haft", ...names);
  }

  env(more?: Readonly<Record<string, string>>): Record<string, string> {
    return cleanEnv(this.home, more);
  }

  /** Runs the built `haft` until it exits. */
  haft(args: readonly string[], options: HaftOptions = {}): Promise<Finished> {
    return runHaft(args, this.#runOptions(options));
  }

  /** Runs a command of the built `haft` in this process; see `runHaftInProcess`. */
  inProcess(
    args: readonly string[],
    { isTerminal = false, ...options }: HaftOptions & { readonly isTerminal?: boolean } = {},
  ): Promise<Finished> {
    return runHaftInProcess(args, { ...this.#runOptions(options), isTerminal });
  }

  #runOptions({ input, env, cwd = this.workspace }: HaftOptions) {
    return { cwd, env: this.env(env), ...(input === undefined ? {} : { input }) };
  }

  create(): void {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), "haft-cli-")));
    for (const directory of [this.workspace, this.home]) mkdirSync(directory);
  }

  remove(): void {
    // A process that reads the output of a job may still create its last file.
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A place that is created before and removed after each test of the file, or all of them. `name`: of the workspace. */
export function cliPlace({
  name = "project",
  scope = "each",
}: {
  name?: string;
  scope?: "each" | "all";
} = {}): CliPlace {
  const place = new CliPlace(name);
  const [before, after] = scope === "each" ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(() => place.create());
  after(() => place.remove());
  return place;
}
