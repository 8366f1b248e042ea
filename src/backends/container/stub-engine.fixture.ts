/** Engines that are scripts: they note how they are called, and what runs "in a container" runs on this machine. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { posixQuote } from "../../text/index.js";

export class StubEngines {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-engines-")));
  readonly #bin = join(this.directory, "bin");
  readonly #log = join(this.directory, "calls");

  constructor() {
    mkdirSync(this.#bin);
    writeFileSync(this.#log, "");
  }

  /** The environment that finds these engines and no others. */
  get env(): Readonly<Record<string, string>> {
    return { PATH: this.#bin };
  }

  /**
   * Installs an engine.
   * @param answers.version - What `--version` prints; an exit code where it fails.
   * @param answers.state - What `inspect` prints. Default: a container that runs.
   * @param answers.error - What `inspect` and `run` report on stderr, instead of an answer.
   * @param answers.hangs - The subcommand that never ends.
   * @param answers.isDown - Whether the client reports that for everything, because it reaches no daemon.
   */
  add(
    name: string,
    {
      version,
      state = "running 0",
      error,
      hangs = "none",
      isDown = false,
    }: { version: string | number; state?: string; error?: string; hangs?: "exec" | "ps" | "none"; isDown?: boolean },
  ): void {
    const path = join(this.#bin, name);
    const fails = error === undefined ? "" : `echo ${posixQuote(error)} >&2; exit 125`;
    const script = `#!/bin/sh
printf '%s ' ${name} "$@" >>${posixQuote(this.#log)}; echo >>${posixQuote(this.#log)}
PATH=/usr/bin:/bin
case $1 in
  ${hangs}) exec sleep 600 ;;
  --version) ${typeof version === "number" ? `exit ${version}` : `echo ${posixQuote(version)}`} ;;
  inspect) ${fails}
    echo '4f5e ${state} "2026-01-01T00:00:00Z"' ;;
  version) ${isDown ? fails : ""} ;;
  run) ${fails} ;;
  exec) while [ "$1" != sh ]; do shift; done; exec "$@" ;;
esac
`;
    writeFileSync(path, script);
    chmodSync(path, 0o755);
  }

  /** The calls so far, one a line: the name of the engine and its arguments. */
  calls(): readonly string[] {
    return readFileSync(this.#log, "utf8")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  }

  dispose(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
