import type { Captured, ToolContext } from "../../kernel/index.js";
import { ArtifactSink, type RecordedStream } from "./artifact-sink.js";
import { type NotableLine, NotableLines } from "./notable-lines.js";

type StreamName = "stdout" | "stderr";

/** Bytes of a stream that are emitted as progress; after them only the size. */
const MAX_EVENT_BYTES = 65_536;
/** Bytes between two further events. */
const EVENT_EVERY_BYTES = 1_048_576;
/** How long to wait for the store at the end; 1 MiB may be waiting, 6 MiB from a remote machine. */
const MAX_END_MS = 30_000;
/** The same once the call is cancelled or close to its deadline. */
const LAST_WRITE_MS = 500;

type RecorderContext = Pick<ToolContext, "artifacts" | "emit" | "clock" | "deadline" | "signal">;

/**
 * Follows one stream of a command: emits its output as it arrives, and stores all of it as an artifact once it is more than a
 * result shows. The command waits for a slower store.
 */
export class OutputRecorder {
  #early: { readonly bytes: Uint8Array; readonly lostBytes: number }[] = [];
  #seenBytes = 0;
  #emittedBytes = 0;
  #sink: ArtifactSink | undefined;
  #notable: NotableLines | undefined;

  /** @param fitsBytes - A stream of at most this many bytes needs no artifact. */
  constructor(
    private readonly ctx: RecorderContext,
    private readonly stream: StreamName,
    private readonly fitsBytes: number,
    private readonly what: string,
    /** Bytes at the start that are always shown. */
    private readonly headBytes = 0,
  ) {}

  /**
   * @param offset - Where the bytes begin. Bytes that the backend dropped before them are counted and marked.
   * @returns Pending while the store is behind. Never rejects.
   */
  push(bytes: Uint8Array, offset: number): Promise<void> | undefined {
    const before = this.#seenBytes;
    const droppedBytes = Math.max(0, offset - before);
    this.#seenBytes += droppedBytes + bytes.length;
    this.#emit(bytes, before);
    this.#notable?.push(bytes);
    if (this.#sink !== undefined) return this.#sink.push(bytes, droppedBytes);
    // The backend may reuse its buffer, and `slice` of a Buffer is not a copy.
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

  /** Lines that look like errors in the omitted part. */
  notable({ head, tail, omittedBytes: dropped }: Captured): readonly NotableLine[] {
    return dropped === 0 ? [] : (this.#notable?.between(head, tail) ?? []);
  }

  /**
   * Closes the artifact, if any. Never rejects: if it cannot be stored, or the store does not answer
   * before the call has to end, the output is only truncated.
   * @param producedBytes - Total bytes of the stream, of which the last may not have been pushed.
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
      // The backend may reuse its buffer.
      if (part.length > 0)
        this.ctx.emit({ kind: "output", stream, offset: this.#seenBytes - bytes.length, bytes: new Uint8Array(part) });
    } else if (Math.floor(before / EVENT_EVERY_BYTES) < Math.floor(this.#seenBytes / EVENT_EVERY_BYTES)) {
      this.ctx.emit({ kind: "output", stream, offset: this.#seenBytes, bytes: new Uint8Array() });
    }
  }
}

/** Stores bytes as an artifact; undefined if that failed or the call ran out of time. Never rejects. */
export async function keepWhole(ctx: RecorderContext, what: string, bytes: Uint8Array): Promise<string | undefined> {
  const sink = new ArtifactSink(ctx, what);
  sink.push(bytes, 0);
  return (await untilCallEnds(ctx, sink.end(0)))?.artifact;
}

/** The result of `work`; undefined when the call runs out of time. */
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
