/** Tells a listener what a far command prints, while it runs and to its end. */
import type { Captured, ShellOptions } from "../../kernel/index.js";
import type { FarSide } from "./far-side.js";
import type { Frame } from "./frames.js";

type Stream = "stdout" | "stderr";

/** Bytes of a stream that are asked for at once. */
const PART_BYTES = 262_144;
/** Milliseconds between two questions: from quick to patient while nothing comes. */
const SHORTEST_MS = 25;
const LONGEST_MS = 250;

/** A part of both streams, as the far side's "poll" tells it. */
export interface OutputPart {
  /** "" while the command runs. */
  readonly status: string;
  readonly stdout: StreamPart;
  readonly stderr: StreamPart;
}

export interface StreamPart {
  readonly from: number;
  readonly bytes: Uint8Array;
  /** No more bytes can come than `total`. */
  readonly ended: boolean;
  readonly total: number;
}

export function readPoll(frame: Frame): OutputPart {
  const [, , status = "", ...counts] = frame.words;
  const [oFrom = 0, oCount = 0, oEnded, oTotal = 0, eFrom = 0, eCount = 0, eEnded, eTotal = 0] = counts.map(Number);
  return {
    status,
    stdout: { from: oFrom, bytes: frame.bytes.slice(0, oCount), ended: oEnded === 1, total: oTotal },
    stderr: { from: eFrom, bytes: frame.bytes.slice(oCount, oCount + eCount), ended: eEnded === 1, total: eTotal },
  };
}

/** Asks the far side again and again; a listener that throws harms nothing. Bytes that the far side no longer has are left out: the offsets show it. */
export class OutputTeller {
  readonly #far: FarSide;
  readonly #id: number;
  readonly #listener: NonNullable<ShellOptions["onOutput"]>;
  readonly #told = { stdout: 0, stderr: 0 };
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<boolean> = Promise.resolve(false);
  #isOver = false;

  constructor(far: FarSide, id: number, listener: NonNullable<ShellOptions["onOutput"]>) {
    this.#far = far;
    this.#id = id;
    this.#listener = listener;
    this.#wait(SHORTEST_MS);
  }

  /** Asks no more. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Tells the rest of what was printed until now, and nothing more. */
  async finish(stdout: Captured, stderr: Captured): Promise<void> {
    this.stop();
    await this.#asking.catch(() => {});
    const ends = { stdout, stderr };
    // Mostly all of it has come with the report.
    for (const stream of ["stdout", "stderr"] as const) {
      const { head, tail, dropped, produced } = ends[stream];
      if (dropped === 0 && this.#told[stream] < produced) {
        const at = this.#told[stream];
        this.#tell(stream, at, Buffer.concat([head, tail]).subarray(at));
      }
    }
    while (this.#told.stdout < stdout.produced || this.#told.stderr < stderr.produced) {
      if (!(await this.#ask().catch(() => false))) return;
    }
  }

  #wait(ms: number): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#asking = this.#ask();
      this.#asking.then(
        (some) => this.#wait(some ? SHORTEST_MS : Math.min(LONGEST_MS, ms * 2)),
        () => this.#wait(LONGEST_MS),
      );
    }, ms);
    this.#timer.unref();
  }

  /** Whether anything new came. */
  async #ask(): Promise<boolean> {
    const { stdout, stderr } = this.#told;
    const part = String(PART_BYTES);
    const words = [String(this.#id), String(stdout), part, String(stderr), part];
    const answer = readPoll(await this.#far.ask("poll", words));
    this.#tell("stdout", answer.stdout.from, answer.stdout.bytes);
    this.#tell("stderr", answer.stderr.from, answer.stderr.bytes);
    return answer.stdout.bytes.length + answer.stderr.bytes.length > 0;
  }

  #tell(stream: Stream, offset: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#told[stream] = offset + bytes.length;
    try {
      this.#listener(stream, bytes, offset);
    } catch {
      // Its own fault, and no matter of the command.
    }
  }
}
