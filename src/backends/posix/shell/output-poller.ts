/** Reports the output of a remote command to a listener, until its end. */
import { systemClock } from "../../../host/index.js";
import { type Captured, finishPublishing, OutputPublisher, type ShellOptions } from "../../../kernel/index.js";
import { HeadTailBuffer } from "../../../text/index.js";
import type { Frame } from "../channel/frames.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import type { KeepBytes } from "./capture.js";

type Stream = "stdout" | "stderr";

const STREAMS = ["stdout", "stderr"] as const;
/** Bytes of a stream in one request. */
const PART_BYTES = 1_048_576;
/** The same where the remote side copies byte by byte. */
const SMALL_PART_BYTES = 262_144;
/** Poll interval; it grows from the first to the second value while there is no output. */
const MIN_POLL_MS = 25;
const MAX_POLL_MS = 250;
/** Milliseconds that fetching the rest may take once the call has ended. */
const LAST_FETCH_MS = 1_000;

/** A part of both streams, from a "poll". */
interface OutputPart {
  /** "" while the command runs. */
  readonly status: string;
  readonly stdout: StreamPart;
  readonly stderr: StreamPart;
}

interface StreamPart {
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

/**
 * Polls the remote side for output; a stream whose listener is busy is not polled. The remote side pauses
 * a command that is too far ahead. Bytes that the remote side has deleted are omitted, which the offsets show.
 */
export class OutputPoller {
  readonly #remote: RemoteAgent;
  readonly #id: number;
  readonly #partBytes: number;
  readonly #publishers: Readonly<Record<Stream, OutputPublisher>>;
  /** Offset of the next byte to report. */
  readonly #reported = { stdout: 0, stderr: 0 };
  readonly #kept: Readonly<Record<Stream, HeadTailBuffer>>;
  readonly #running: Promise<void>;
  #wake: () => void = () => {};
  #isOver = false;

  constructor(remote: RemoteAgent, id: number, listener: NonNullable<ShellOptions["onOutput"]>, keep: KeepBytes) {
    this.#remote = remote;
    this.#id = id;
    this.#partBytes = remote.place.facts.has("bytes") ? PART_BYTES : SMALL_PART_BYTES;
    this.#publishers = {
      stdout: new OutputPublisher((bytes, offset) => listener("stdout", bytes, offset)),
      stderr: new OutputPublisher((bytes, offset) => listener("stderr", bytes, offset)),
    };
    const { head, tail } = keep;
    this.#kept = { stdout: new HeadTailBuffer(head, tail), stderr: new HeadTailBuffer(head, tail) };
    this.#running = this.#run();
  }

  /** The output that has arrived, for a command of which nothing else will be known. */
  received(): Readonly<Record<Stream, Captured>> {
    const captured = (stream: Stream): Captured => {
      const [head, tail, produced] = [this.#kept[stream].head(), this.#kept[stream].tail(), this.#reported[stream]];
      return { head, tail, produced, omittedBytes: produced - head.length - tail.length, final: false };
    };
    return { stdout: captured("stdout"), stderr: captured("stderr") };
  }

  /** Stops polling. */
  stop(): void {
    this.#isOver = true;
    this.#wake();
  }

  /**
   * Reports the rest of the output of a command that has ended. Fetching it may take until 1 s
   * after `hurry`; output that has not arrived by then is omitted. A busy listener may take 1 s more.
   */
  async finish(stdout: Captured, stderr: Captured, hurry: Promise<unknown>): Promise<void> {
    this.stop();
    let stopTimer = (): void => {};
    let isOver = false;
    const tooLate = hurry.then(() => {
      if (isOver) return;
      return new Promise<void>((resolve) => {
        stopTimer = systemClock.timer(LAST_FETCH_MS, resolve);
      });
    });
    await Promise.race([this.#fetchRest({ stdout, stderr }), tooLate]);
    isOver = true;
    stopTimer();
    await finishPublishing([this.#publishers.stdout, this.#publishers.stderr], systemClock.timer);
  }

  /** The command was never far ahead, so the rest is small enough to be fetched at once. */
  async #fetchRest(ends: Readonly<Record<Stream, Captured>>): Promise<void> {
    await this.#running;
    // Usually the report contains all of it.
    for (const stream of STREAMS) {
      const { head, tail, omittedBytes: dropped, produced } = ends[stream];
      const at = this.#reported[stream];
      if (dropped === 0 && at < produced) this.#report(stream, at, Buffer.concat([head, tail]).subarray(at));
    }
    const left = (stream: Stream) => Math.max(0, ends[stream].produced - this.#reported[stream]);
    while (left("stdout") + left("stderr") > 0) {
      const came = await this.#ask(left).catch(() => 0);
      if (came === 0) return;
    }
  }

  async #run(): Promise<void> {
    for (let pauseMs = MIN_POLL_MS; ; ) {
      await this.#pause(pauseMs);
      if (this.#isOver) return;
      const came = await this.#ask((stream) => (this.#isHeld(stream) ? 0 : this.#partBytes)).catch(() => undefined);
      if (came === undefined) pauseMs = MAX_POLL_MS;
      else if (came >= this.#partBytes) pauseMs = 0;
      else pauseMs = came > 0 ? MIN_POLL_MS : Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, pauseMs * 2));
    }
  }

  /** Waits for `ms`, or until a listener is ready. */
  async #pause(ms: number): Promise<void> {
    if (this.#isOver) return;
    let timer: NodeJS.Timeout | undefined;
    const held = STREAMS.map((stream) => this.#publishers[stream].held).filter((one) => one !== undefined);
    const time = new Promise<void>((resolve) => {
      this.#wake = resolve;
      // While both listeners are busy there is nothing to fetch.
      if (held.length === STREAMS.length) return;
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    await Promise.race([time, ...held]);
    clearTimeout(timer);
  }

  /** Fetches at most `most` bytes of each stream. @returns How many bytes arrived. */
  async #ask(most: (stream: Stream) => number): Promise<number> {
    const words = STREAMS.flatMap((stream) => [
      String(this.#reported[stream]),
      String(Math.min(this.#partBytes, most(stream))),
    ]);
    const answer = readPoll(await this.#remote.ask("poll", [String(this.#id), ...words]));
    for (const stream of STREAMS) this.#report(stream, answer[stream].from, answer[stream].bytes);
    return answer.stdout.bytes.length + answer.stderr.bytes.length;
  }

  #isHeld(stream: Stream): boolean {
    return this.#publishers[stream].held !== undefined;
  }

  #report(stream: Stream, offset: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#reported[stream] = offset + bytes.length;
    this.#kept[stream].push(bytes);
    this.#publishers[stream].publish(bytes, offset);
  }
}
