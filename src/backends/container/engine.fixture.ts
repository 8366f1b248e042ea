/** A container engine for tests: containers that are removed at the end, and clients that are known by a mark. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { service } from "../../testing/services.fixture.js";
import { isAlive } from "../posix/machine.fixture.js";
import type { EngineName, EngineOptions } from "./engine.js";

export class TestEngine {
  readonly name: EngineName;
  readonly mark = `HAFT_TEST_MARK=${randomUUID()}`;
  readonly #containers: string[] = [];

  constructor(name: EngineName) {
    this.name = name;
  }

  /** Options with which a backend uses this engine. */
  get options(): Required<Pick<EngineOptions, "engine" | "engineEnv">> {
    return { engine: this.name, engineEnv: this.#env };
  }

  get image(): string {
    return service(this.name).image;
  }

  /** Runs the client and returns what it printed; fails where it does. */
  run(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(this.name, args, { env: this.#env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${this.name} ${args.join(" ")}: ${status} ${stderr}`);
    return stdout.trim();
  }

  /** Starts a container of the test image and returns its name. */
  start(...options: readonly string[]): string {
    return this.startNamed(`haft-test-${randomUUID()}`, ...options);
  }

  /** The same, with a PID 1 that does not collect the processes that it inherits. */
  startWithoutInit(): string {
    const name = `haft-test-${randomUUID()}`;
    this.#containers.push(name);
    this.run("run", "-d", "--stop-timeout", "0", "--name", name, this.image, "/bin/sleep", "infinity");
    return name;
  }

  startNamed(name: string, ...options: readonly string[]): string {
    this.#containers.push(name);
    this.run("run", "-d", "--init", "--stop-timeout", "0", "--name", name, ...options, this.image);
    return name;
  }

  /** The living processes of clients, and of monitors that they started. */
  clients(): readonly number[] {
    const mark = `${this.mark}\0`;
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isAlive(pid) && readOr(`/proc/${pid}/environ`).includes(mark));
  }

  /** The clients that lead into a container. */
  channels(container: string): readonly number[] {
    return this.clients().filter((pid) => readOr(`/proc/${pid}/cmdline`).includes(`\0exec\0-i\0${container}\0`));
  }

  /** The processes in a container, by their command lines; those of this question excepted. */
  processes(container: string): readonly string[] {
    return this.run("exec", container, "ps", "-o", "args")
      .split("\n")
      .slice(1)
      .filter((line) => !line.startsWith("ps -o"));
  }

  dispose(): void {
    for (const name of this.#containers) spawnSync(this.name, ["rm", "-f", name], { env: this.#env });
  }

  get #env(): Readonly<Record<string, string | undefined>> {
    const [name = "", value = ""] = this.mark.split("=");
    return { ...process.env, ...service(this.name).env, [name]: value };
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
