import type { Captured, ToolContext } from "../../kernel/index.js";
import { ArtifactSink, type RecordedStream } from "./artifact-sink.js";
import { type NotableLine, NotableLines } from "./notable-lines.js";

type StreamName = "stdout" | "stderr";

/** Bytes of a stream that are told as progress; after them only how much there is. */
const MAX_EVENT_BYTES = 65_536;
/** Bytes between two further events. */
const EVENT_EVERY_BYTES = 1_048_576;
/** A store that has not taken the end of an output by then is given up; what waits is 1 MiB, 6 MiB from a far machine. */
const MAX_END_MS = 30_000;
/** What it has once its call has been cancelled or is about to reach its deadline. */
const LAST_WRITE_MS = 500;

type RecorderContext = Pick<ToolContext, "artifacts" | "emit" | "clock" | "deadline" | "signal">;

/**
 * Follows one stream of a command: tells its output as it comes, and keeps all of it as an artifact once it is more than an
 * answer holds. The command waits for a store that is slower than it prints.
 */
export class OutputRecorder {
  #early: { readonly bytes: Uint8Array; readonly lostBytes: number }[] = [];
  #seenBytes = 0;
  #emittedBytes = 0;
  #decoder = new TextDecoder();
  #sink: ArtifactSink | undefined;
  #notable: NotableLines | undefined;

  /** @param fitsBytes - As much as an answer holds: a stream of at most so many bytes makes no artifact. */
  constructor(
    private readonly ctx: RecorderContext,
    private readonly stream: StreamName,
    private readonly fitsBytes: number,
    private readonly what: string,
    /** Bytes of its start that an answer shows in any case. */
    private readonly headBytes = 0,
  ) {}

  /**
   * @param offset - Where the bytes begin. Those that a backend could not tell before them are marked and counted.
   * @returns As long as it has not resolved, the store is behind. Never rejects.
   */
  push(bytes: Uint8Array, offset: number): Promise<void> | undefined {
    const before = this.#seenBytes;
    const droppedBytes = Math.max(0, offset - before);
    this.#seenBytes += droppedBytes + bytes.length;
    this.#emit(bytes, before);
    this.#notable?.push(bytes);
    if (this.#sink !== undefined) return this.#sink.push(bytes, droppedBytes);
    // A backend that is not ours may use its buffer again; `slice` of a Buffer would be no copy.
    this.#early.push({ bytes: new Uint8Array(bytes), lostBytes: droppedBytes });
    if (this.#seenBytes <= this.fitsBytes) return undefined;
    const sink = new ArtifactSink(this.ctx, `${this.stream} of ${this.what}`);
    this.#sink = sink;
    this.#notable = new NotableLines(this.headBytes);
    let written: Promise<void> | undefined;
    for (const chunk of this.#early) {
      this.#notable.push(chunk.bytes);
      written = sink.push(chunk.bytes, chunk.lostBytes);
    }
    this.#early = [];
    return written;
  }

  /** Lines that look like errors, of those that an answer leaves out. */
  notable({ head, tail, omittedBytes: dropped }: Captured): readonly NotableLine[] {
    return dropped === 0 ? [] : (this.#notable?.between(head, tail) ?? []);
  }

  /**
   * Ends the artifact where there is one. Never rejects: without a place to keep it, or with a store that does not answer
   * before the call has to end, the output is only cut.
   * @param producedBytes - What the stream came to. The end of it may not have been told.
   */
  async end(producedBytes: number): Promise<RecordedStream | undefined> {
    if (this.#sink === undefined) return undefined;
    const ended = this.#sink.end(Math.max(0, producedBytes - this.#seenBytes));
    return untilCallEnds(this.ctx, ended);
  }

  #emit(bytes: Uint8Array, before: number): void {
    const { stream } = this;
    if (this.#emittedBytes < MAX_EVENT_BYTES) {
      const part = bytes.subarray(0, MAX_EVENT_BYTES - this.#emittedBytes);
      this.#emittedBytes += part.length;
      const text = this.#decoder.decode(part, { stream: true });
      if (text !== "") this.ctx.emit({ kind: "output", data: { stream, text } });
    } else if (Math.floor(before / EVENT_EVERY_BYTES) < Math.floor(this.#seenBytes / EVENT_EVERY_BYTES)) {
      this.ctx.emit({ kind: "output", data: { stream, text: "", bytes: this.#seenBytes } });
    }
  }
}

/** Keeps bytes as an artifact; undefined where that failed, or took longer than the call has. Never rejects. */
export async function keepWhole(ctx: RecorderContext, what: string, bytes: Uint8Array): Promise<string | undefined> {
  const sink = new ArtifactSink(ctx, what);
  sink.push(bytes, 0);
  return (await untilCallEnds(ctx, sink.end(0)))?.artifact;
}

/** What `work` comes to; undefined when the call has no more time for it. */
async function untilCallEnds<T>(
  { clock, deadline, signal }: RecorderContext,
  work: Promise<T>,
): Promise<T | undefined> {
  let stop = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    const leftMs = Math.max(LAST_WRITE_MS, deadline - clock.now() - LAST_WRITE_MS);
    const timers = [clock.timer(Math.min(leftMs, MAX_END_MS), () => resolve(undefined))];
    const hurry = (): void => void timers.push(clock.timer(LAST_WRITE_MS, () => resolve(undefined)));
    if (signal.aborted) hurry();
    else signal.addEventListener("abort", hurry, { once: true });
    stop = () => {
      for (const cancel of timers) cancel();
      signal.removeEventListener("abort", hurry);
    };
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
