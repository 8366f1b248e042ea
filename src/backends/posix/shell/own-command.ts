/** Runs a command of Haft itself, in a directory that the caller has authorized, and delivers its output as it arrives. */
import type { ShellResult } from "../../../kernel/index.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import type { RemoteJobTable } from "../jobs/job-table.js";
import type { StartDirectories } from "./command-request.js";
import { CommandRun } from "./command-run.js";

/** Starts commands that no call has claimed, such as a search program; see {@link OwnCommand}. */
export type StartOwnCommand = (start: OwnCommandStart) => OwnCommand;

interface OwnCommandStart {
  readonly command: string;
  readonly cwd: string;
  readonly directories: StartDirectories;
  /** Kills it. */
  readonly signal: AbortSignal;
  readonly onError?: (chunk: Buffer) => void;
  /** It starts no other processes, so that it can be killed fast. */
  readonly isSingle: boolean;
}

/** Output that comes with the result, without a request of its own. */
const KEEP = { head: 262_144, tail: 0 } as const;

export function ownCommands(remote: RemoteAgent, jobs: RemoteJobTable): StartOwnCommand {
  return (start) => new OwnCommand(remote, jobs, start);
}

/** One running command. The caller must call `stop` in every case. */
export class OwnCommand {
  /** Undefined when it did not start, was killed, or the connection was lost. */
  readonly status: Promise<number | undefined>;
  readonly #kill = new AbortController();
  readonly #chunks: Buffer[] = [];
  #isOver = false;
  #wake: () => void = () => {};
  /** Resolved when the reader has taken everything; until then no more output is fetched. */
  #taken: (() => void) | undefined;

  constructor(
    remote: RemoteAgent,
    jobs: RemoteJobTable,
    { command, cwd, directories, signal, onError, isSingle }: OwnCommandStart,
  ) {
    const onOutput = (stream: "stdout" | "stderr", bytes: Uint8Array): void | Promise<void> => {
      const chunk = Buffer.from(bytes);
      if (stream === "stderr") return onError?.(chunk);
      if (this.#isOver) return;
      this.#chunks.push(chunk);
      this.#wake();
      return new Promise<void>((resolve) => {
        this.#taken = resolve;
      });
    };
    const run = new CommandRun(
      remote,
      jobs,
      command,
      { cwd, graceMs: 0, keep: KEEP, onOutput, env: { PATH: remote.place.path } },
      {
        signals: [signal, this.#kill.signal],
        timeoutMs: Number.POSITIVE_INFINITY,
        directories,
        facts: { command, cwd, lifetime: "session", adopted: "call" },
        isSingle,
      },
    );
    this.status = run.result().then(statusOf, () => undefined);
    void this.status.then(() => this.#end());
  }

  /** Its stdout. A slow reader blocks it. */
  async *output(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        if (this.#chunks.length === 0) this.#release();
      } else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  /** Kills it if it still runs, and drops what was not read. */
  async stop(): Promise<void> {
    this.#kill.abort();
    this.#chunks.length = 0;
    this.#end();
    await this.status;
  }

  #end(): void {
    this.#isOver = true;
    this.#release();
    this.#wake();
  }

  #release(): void {
    this.#taken?.();
    this.#taken = undefined;
  }
}

function statusOf({ began, ended, exit }: ShellResult): number | undefined {
  return began === "yes" && ended === "itself" && exit.by === "code" ? exit.code : undefined;
}
