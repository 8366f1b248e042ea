/** Programs in a container: `ENGINE exec -i NAME PROGRAM`. */
import { setTimeout as sleep } from "node:timers/promises";
import { HaftError } from "../../kernel/index.js";
import type { ClientEnd, Transport } from "../posix/index.js";
import { type ContainerRun, containerFault, inspectContainer, unusable } from "./container-state.js";
import type { Engine } from "./engine.js";

/** As whom and with what programs in the container run. */
export interface InContainer {
  /** "USER", "UID" or "USER:GROUP". Default: that of the container. */
  readonly user?: string;
  /** Variables beside those of the container. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The engine may report a container as running for a moment after its processes have ended. */
const SETTLE_TRIES = 3;
const SETTLE_MS = 200;
/** For how long the end of a channel is put down to a restart of the container. */
const REPORTED_MS = 5_000;

/** What a client ends with that gets TERM, unless it ends with 0. */
const TERMINATED = 128 + 15;

export class ContainerTransport implements Transport {
  readonly name: string;
  readonly machine: string;
  readonly env: Readonly<Record<string, string>>;
  readonly engine: Engine;
  /** The name of the container. */
  readonly container: string;
  readonly #user: readonly string[];
  readonly #options: readonly string[];
  #run: ContainerRun;
  /** What has taken its place. */
  #next: ContainerRun | undefined;
  #changedAt = 0;
  readonly #close: () => Promise<void>;

  constructor(parts: {
    readonly target: string;
    readonly engine: Engine;
    readonly container: string;
    readonly run: ContainerRun;
    readonly as: InContainer;
    readonly close?: () => Promise<void>;
  }) {
    const { target, engine, container, run, as } = parts;
    const variables = passVariables(engine, as.env ?? {});
    this.name = target;
    this.machine = `${engine.name}:${run.id}`;
    this.engine = engine;
    this.container = container;
    this.env = variables.env;
    this.#user = as.user === undefined ? [] : ["--user", as.user];
    this.#options = [...this.#user, ...variables.options];
    this.#run = run;
    this.#close = parts.close ?? (async () => {});
  }

  command(argv: readonly string[]): readonly string[] {
    return [this.engine.program, "exec", "-i", ...this.#options, this.container, ...argv];
  }

  interactive(argv: readonly string[]): readonly string[] {
    return [this.engine.program, "exec", "-it", ...this.#user, this.container, ...argv];
  }

  /** The exit code of a client means little: one that is terminated returns 0. So the engine is asked what has become of the container. */
  async explain(end: ClientEnd): Promise<HaftError | undefined> {
    try {
      return await this.#explain(end);
    } catch (thrown) {
      if (HaftError.is(thrown)) return thrown;
      throw thrown;
    }
  }

  async #explain({ code, signal, stderr }: ClientEnd): Promise<HaftError | undefined> {
    const { engine, name: target, container } = this;
    for (let tries = 1; ; tries += 1) {
      const state = await inspectContainer(engine, target, container);
      const problem = unusable(engine, target, container, state) ?? this.#changed(state);
      if (problem !== undefined) return problem;
      if (tries === SETTLE_TRIES) break;
      await sleep(SETTLE_MS);
    }
    const words = stderr.trim().split("\n").at(-1)?.slice(0, 400) ?? "";
    if (/executable file not found|no such file or directory.*exec|stat .*: no such file/i.test(words)) {
      const advice = "Use a container that has a POSIX shell.";
      return containerFault({ target, fault: "engine" }, `there is no \`sh\` in "${container}"`, advice);
    }
    const [, user] = this.#user;
    if (user !== undefined && /unable to find (?:user|group)|no matching entries in/i.test(words)) {
      const advice = "Name another one with `container.user` of the target, or leave it out.";
      return containerFault({ target, fault: "engine" }, `"${container}" has no user "${user}"`, advice);
    }
    if (words === "" && (signal !== null || code === 0 || code === TERMINATED)) {
      const what = `the client \`${engine.name} exec\` was ended, while the container runs`;
      return containerFault({ target, fault: "engine" }, what, "The next call starts another client.");
    }
    const how = signal === null ? `ended with status ${code}` : `was ended by ${signal}`;
    return containerFault(
      { target, fault: "engine" },
      `\`${engine.name} exec\` ${how}${words === "" ? "" : ` (${words})`}, while the container runs`,
      "Check its logs and its memory limit.",
    );
  }

  /** A restart ends all channels within moments, and each reports it; later the container is taken as it is. */
  #changed(now: ContainerRun): HaftError | undefined {
    const isSame = (one: ContainerRun | undefined) => one?.id === now.id && one.startedAt === now.startedAt;
    if (isSame(this.#run)) return undefined;
    if (!isSame(this.#next)) {
      this.#next = { id: now.id, startedAt: now.startedAt };
      this.#changedAt = performance.now();
    } else if (performance.now() - this.#changedAt > REPORTED_MS) {
      this.#run = now;
      return undefined;
    }
    const before = this.#run;
    const { name: target, container } = this;
    if (now.id !== before.id) {
      const why = `"${container}" is another container than before`;
      const advice = "Files outside of its mounts are new, and what ran has ended. Try again.";
      return containerFault({ target, fault: "replaced" }, why, advice);
    }
    const why = `the container "${container}" was restarted`;
    return containerFault({ target, fault: "restarted" }, why, "What ran in it has ended. Try again.");
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** Variables that the client itself may read. */
const READ_BY_CLIENT =
  /^(PATH|HOME|TMPDIR|(DOCKER|BUILDKIT|CONTAINERS?|PODMAN|STORAGE|XDG|SSL|GO|NO|HTTPS?|ALL|DBUS)(_.*)?)$/i;

/**
 * Values go through the environment of the client, where no process list shows them to other users, except those of
 * variables that would change what the client does.
 */
function passVariables(engine: Engine, variables: Readonly<Record<string, string>>) {
  const env: Record<string, string> = { ...engine.env };
  const options = Object.entries(variables).flatMap(([name, value]) => {
    if (READ_BY_CLIENT.test(name) || Object.hasOwn(engine.env, name)) return ["--env", `${name}=${value}`];
    env[name] = value;
    return ["--env", name];
  });
  return { env, options };
}
