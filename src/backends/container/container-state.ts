/** What the engine reports about a container, and what to do when it cannot be used. */
import { HaftError } from "../../kernel/index.js";
import { type Engine, otherEngine, runEngine } from "./engine.js";

/** One run of a container: a restart changes `startedAt`, a new container of the same name `id`. */
export interface ContainerRun {
  readonly id: string;
  readonly startedAt: string;
}

interface ContainerState extends ContainerRun {
  /** "running", "paused", "exited" and others. */
  readonly status: string;
  readonly exitCode: string;
}

/** Why a container cannot be used; a clause for the details of the error. */
export type ContainerFault = "engine" | "gone" | "stopped" | "paused" | "restarted" | "replaced";

/** What ran has ended and its files cannot be read. After a restart they can: what a command printed is still there. */
const FINAL: ReadonlySet<ContainerFault> = new Set(["gone", "stopped"]);

const FIELDS = "{{.Id}} {{.State.Status}} {{.State.ExitCode}} {{json .State.StartedAt}}";
const NOT_THERE = /no such (object|container)|no container with name/i;

/** The state of the container. @throws `BACKEND_UNAVAILABLE` if it does not exist or the engine does not answer. */
export async function inspectContainer(engine: Engine, target: string, container: string): Promise<ContainerState> {
  const { code, stdout, stderr } = await runEngine(engine, ["inspect", "--type", "container", "-f", FIELDS, container]);
  const [id = "", status = "", exitCode = "", startedAt = ""] = stdout.trim().split(" ");
  if (code === 0 && startedAt !== "") return { id, status, exitCode, startedAt };
  if (code !== null && NOT_THERE.test(stderr)) {
    const other = otherEngine(engine);
    const elsewhere = other === undefined ? "" : ` If it is a container of ${other}, use "${other}:${container}".`;
    throw containerFault(
      { target, fault: "gone" },
      `${engine.name} has no container "${container}"`,
      `See \`${engine.name} ps -a\`, then start it or create it again.${elsewhere}`,
    );
  }
  throw engineFault(engine, target, stderr);
}

/** The engine itself did not do what it was asked. */
export function engineFault(engine: Engine, target: string, stderr: string): HaftError {
  const words = stderr.trim().split("\n").at(-1)?.slice(0, 400) || "it failed without a message";
  const other = target.startsWith(`${engine.name}:`) ? otherEngine(engine) : undefined;
  const elsewhere = other === undefined ? "" : ` For ${other} use "${other}:${target.slice(engine.name.length + 1)}".`;
  return containerFault(
    { target, fault: "engine" },
    `${engine.name} reports: ${words.replace(/[.?!]+$/, "")}`,
    `Check \`${engine.name} info\`.${elsewhere}`,
  );
}

/** Undefined for a container that runs. */
export function unusable(
  engine: Engine,
  target: string,
  container: string,
  { status, exitCode }: ContainerState,
): HaftError | undefined {
  if (status === "running") return undefined;
  if (status === "paused") {
    const advice = `Continue it: \`${engine.name} unpause ${container}\`.`;
    return containerFault({ target, fault: "paused" }, `the container "${container}" is paused`, advice);
  }
  const stopped = `is stopped (exit code ${exitCode})`;
  const words: Readonly<Record<string, string>> = { exited: stopped, stopped, created: "was not started yet" };
  const ended = words[status] ?? `is ${status}`;
  const advice = `Start it: \`${engine.name} start ${container}\`.`;
  return containerFault({ target, fault: "stopped" }, `the container "${container}" ${ended}`, advice);
}

export function containerFault(
  { target, fault }: { readonly target: string; readonly fault: ContainerFault },
  why: string,
  advice: string,
): HaftError {
  return new HaftError("BACKEND_UNAVAILABLE", `Could not reach "${target}": ${why}. ${advice}`, {
    details: { backend: target, fault, why, ...(FINAL.has(fault) ? { isFinal: true } : {}) },
  });
}
