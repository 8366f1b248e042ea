/** The client of a container engine: `docker` or `podman`, found and run. */
import { spawn } from "node:child_process";
import { killAfter, programOnPath } from "../../host/index.js";
import { HaftError } from "../../kernel/index.js";

export type EngineName = "docker" | "podman";

export interface EngineOptions {
  /** Default: docker if it answers, else podman. */
  readonly engine?: EngineName;
  /** The environment of the client, such as DOCKER_HOST. Default: that of this process. */
  readonly engineEnv?: Readonly<Record<string, string | undefined>>;
  /** A directory whose programs are not taken for an engine. */
  readonly workspace?: string;
}

export interface Engine {
  /** What it is: a `docker` that is podman in disguise counts as podman. */
  readonly name: EngineName;
  /** The absolute path of the client. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a client ended that was run to its end. */
export interface EngineEnd {
  /** Null when it was killed, after `timeoutMs`. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ENGINES: readonly EngineName[] = ["docker", "podman"];
/** Milliseconds for a question to the engine. A daemon that hangs must not hold a call for long. */
const ANSWER_MS = 10_000;
/** The same where another engine can be used. */
const DAEMON_MS = 3_000;
/** Characters of an answer that are kept; the longest is a list of containers. */
const MAX_ANSWER = 64 * 1_024;

/**
 * The engine of this machine, asked by `docker --version` and `podman --version`. A docker client without a daemon is passed over
 * if there is podman.
 * @throws `BACKEND_UNAVAILABLE` if there is none, or not the one that was named.
 */
export async function findEngine(options: EngineOptions = {}): Promise<Engine> {
  const env = Object.fromEntries(
    Object.entries(options.engineEnv ?? process.env).filter((one): one is [string, string] => one[1] !== undefined),
  );
  const path = env.PATH ?? process.env.PATH ?? "";
  let silent: Engine | undefined;
  for (const name of options.engine === undefined ? ENGINES : [options.engine]) {
    const program = programOnPath(name, { path, workspace: options.workspace });
    if (program === undefined) continue;
    const { code, stdout } = await runEngine({ name, program, env }, ["--version"]);
    if (code !== 0) continue;
    const engine: Engine = { name: /podman/i.test(stdout) ? "podman" : name, program, env };
    const isOnly = options.engine !== undefined || engine.name === "podman" || otherEngine(engine) === undefined;
    if (isOnly || (await hasDaemon(engine))) return engine;
    silent = engine;
  }
  // The error of its first use shows what is wrong with it.
  if (silent !== undefined) return silent;
  throw new HaftError(
    "BACKEND_UNAVAILABLE",
    options.engine === undefined
      ? "Did not find a container engine: docker and podman are not on PATH, or do not answer. Install one of them."
      : `Did not find ${options.engine}: it is not on PATH, or does not answer. Install it, or use another engine.`,
    { details: { backend: options.engine ?? "container" } },
  );
}

async function hasDaemon(docker: Engine): Promise<boolean> {
  return (await runEngine(docker, ["version", "--format", "{{.Server.Version}}"], DAEMON_MS)).code === 0;
}

/** Whether a program of that name is installed, for advice. */
export function otherEngine(engine: Engine): EngineName | undefined {
  const path = engine.env.PATH ?? process.env.PATH ?? "";
  return ENGINES.find((name) => name !== engine.name && programOnPath(name, { path }) !== undefined);
}

/** Runs the client to its end. Never rejects: one that cannot be started ends with code null and the reason on stderr. */
export function runEngine(engine: Engine, args: readonly string[], timeoutMs = ANSWER_MS): Promise<EngineEnd> {
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    const child = spawn(engine.program, args, { env: engine.env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    killAfter(child, timeoutMs);
    child.stdout.on("data", (bytes: Buffer) => {
      stdout = (stdout + bytes.toString("utf8")).slice(0, MAX_ANSWER);
    });
    child.stderr.on("data", (bytes: Buffer) => {
      stderr = (stderr + bytes.toString("utf8")).slice(-MAX_ANSWER);
    });
    child.once("error", (error) => resolve({ code: null, stdout, stderr: error.message }));
    child.once("close", (code) =>
      resolve({ code, stdout, stderr: code === null ? `${stderr}\nno answer within ${timeoutMs} ms` : stderr }),
    );
  });
}
