/** A remote machine for tests: this one, through channels that can be cut, with all its processes known by a mark. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend } from "../../kernel/index.js";
import { type Channel, processChannel } from "./channel/channel.js";
import type { PosixBackendOptions } from "./options.js";
import { createPosixBackend } from "./posix-backend.js";
import { ARGV, type ShellName } from "./shells.fixture.js";

export class PosixMachine {
  readonly mark = `HAFT_TEST_MARK=${randomUUID()}`;
  /** Real, empty at first, removed by `dispose`. */
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-machine-")));
  readonly state = join(this.directory, "state");
  readonly work = realpathSync(mkdtempSync(join(tmpdir(), "haft-work-")));
  readonly #shell: ShellName;
  #channels: Channel[] = [];
  #held: (() => void)[] | undefined;
  /** How many channels were opened. */
  opened = 0;
  /** Milliseconds that opening a channel takes from now on; "never": it fails. */
  delay: number | "never" = 0;
  /** Discards what is written to the channels, as a dead connection does before the failure is detected. */
  isMute = false;
  /** Everything that came over the channels. */
  heard = "";

  constructor(shell: ShellName) {
    this.#shell = shell;
  }

  async open(
    options: Partial<PosixBackendOptions> = {},
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Backend> {
    const [name = "", value = ""] = this.mark.split("=");
    const env = { PATH: process.env.PATH ?? "", HOME: this.directory, [name]: value, ...variables };
    const start = processChannel(ARGV[this.#shell], { env });
    return createPosixBackend({
      name: `posix:${this.#shell}`,
      commandShell: ARGV[this.#shell],
      stateDir: this.state,
      cwd: this.work,
      orphanMs: 1_000,
      open: async () => {
        if (this.delay === "never") throw new Error("the line is dead");
        if (this.delay > 0) await pause(this.delay);
        const channel = await start();
        this.#channels.push(channel);
        this.opened += 1;
        return this.#watched(channel);
      },
      ...options,
    });
  }

  /** What is written to the channels waits from now on, as on a line that is interrupted. */
  hold(): void {
    this.#held ??= [];
  }

  /** What was held is written, in order. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const write of held) write();
  }

  /** Cuts all channels. */
  cut(): void {
    for (const channel of this.#channels.splice(0)) channel.destroy();
  }

  /** The living processes of this machine, its shells among them. */
  processes(): readonly number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isAlive(pid) && this.#isOurs(pid));
  }

  /** What lies in its state directory. */
  leftovers(): readonly string[] {
    try {
      return readdirSync(this.state);
    } catch {
      return [];
    }
  }

  /** Kills the processes of this machine until there is none: one that has been killed may have started another just before. */
  killAll(): void {
    for (let living = this.processes(); living.length > 0; living = this.processes()) {
      for (const pid of living) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended meanwhile.
        }
      }
    }
  }

  dispose(): void {
    this.killAll();
    // What was killed just now may still finish a write.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20 });
    rmSync(this.work, { recursive: true, force: true, maxRetries: 20 });
  }

  #watched(channel: Channel): Channel {
    return {
      write: (bytes) => {
        if (this.#held !== undefined) this.#held.push(() => channel.write(bytes));
        else if (!this.isMute) channel.write(bytes);
      },
      onBytes: (listener) =>
        channel.onBytes((bytes) => {
          this.heard += Buffer.from(bytes).toString("latin1");
          listener(bytes);
        }),
      onEnd: (listener) => channel.onEnd(listener),
      end: () => channel.end(),
      destroy: () => channel.destroy(),
    };
  }

  #isOurs(pid: number): boolean {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(this.mark);
    } catch {
      return false;
    }
  }
}

/** A zombie is dead. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !"ZX".includes(stat[stat.lastIndexOf(")") + 2] ?? "X");
  } catch {
    return false;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves once `holds` does; fails after `limitMs`. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 40_000): Promise<void> {
  for (const end = Date.now() + limitMs; !(await holds()); await pause(20)) {
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${holds}`);
  }
}
