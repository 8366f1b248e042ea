import { type Captured, OutputPublisher, type StreamListener } from "../../../kernel/index.js";
import { HeadTailBuffer, wholeNumber } from "../../../text/index.js";
import type { OutputSegments } from "../jobs/output-segments.js";

const LAST_LINE_BYTES = 1_024;

/** Keeps the first and last bytes of a stream for the result, the latest bytes for readers of a job, and calls a listener. */
export class OutputCapture {
  readonly #kept: HeadTailBuffer;
  /** Only for jobs: the bytes that `output` can still return. */
  #latest: HeadTailBuffer | undefined;
  /** Absent without a listener. */
  readonly publisher: OutputPublisher | undefined;
  /** Only for jobs: files with the whole output, up to their limit. */
  #files: OutputSegments | undefined;
  isFinal = false;

  /** @param latestBytes - How many of the latest bytes `output` can return; 0 for a command that is not a job. */
  constructor(
    keep: { readonly head: number; readonly tail: number },
    latestBytes: number,
    listener?: StreamListener,
    files?: OutputSegments,
    private readonly borrows = false,
  ) {
    this.#files = files;
    this.#kept = new HeadTailBuffer(keep.head, keep.tail);
    this.#latest = latestBytes > 0 ? new HeadTailBuffer(0, latestBytes) : undefined;
    this.publisher = listener && new OutputPublisher(listener, borrows);
  }

  get produced(): number {
    return this.#kept.produced;
  }

  /** Pending while the listener accepts no more. */
  get held(): Promise<void> | undefined {
    return this.publisher?.held;
  }

  /**
   * @param chunk - Only valid during the call.
   * @returns `held`: read nothing more before it resolves. Chunks added before then are buffered for the listener.
   */
  push(chunk: Uint8Array): Promise<void> | undefined {
    const offset = this.#kept.produced;
    this.#kept.push(chunk);
    this.#latest?.push(chunk);
    this.#files?.append(chunk);
    return this.publisher?.publish(this.borrows ? chunk : new Uint8Array(chunk), offset);
  }

  /** The command has ended: the listener is no longer called. */
  stopPublishing(): void {
    this.publisher?.stop();
  }

  /** Starts to keep the latest bytes, and all bytes in files if there are any, including those already kept for the result. */
  keepLatest(bytes: number, files?: OutputSegments): void {
    if (this.#latest !== undefined) return;
    const [head, tail, dropped] = [this.#kept.head(), this.#kept.tail(), this.#kept.omittedBytes];
    this.#latest = new HeadTailBuffer(0, bytes);
    if (dropped === 0) this.#latest.push(head);
    this.#latest.push(tail);
    files?.append(head);
    if (dropped > 0) files?.skip(dropped);
    files?.append(tail);
    this.#files = files;
  }

  /** The end of the last line, as far as it is kept, without a newline. */
  lastLine(): string {
    const tail = this.#kept.tail();
    const bytes = tail.length === 0 ? this.#kept.head() : tail;
    return new TextDecoder().decode(
      bytes.subarray(Math.max(bytes.lastIndexOf(10) + 1, bytes.length - LAST_LINE_BYTES)),
    );
  }

  /** Stops writing to files. */
  closeFiles(): void {
    this.#files?.close();
  }

  captured(): Captured {
    return {
      head: this.#kept.head(),
      tail: this.#kept.tail(),
      produced: this.#kept.produced,
      omittedBytes: this.#kept.omittedBytes,
      final: this.isFinal,
    };
  }

  read(
    from: number,
    max: number,
  ): { readonly bytes: Uint8Array; readonly next: number; readonly droppedBytes: number; readonly ended: boolean } {
    const tail = this.#latest?.tail() ?? new Uint8Array();
    const first = this.produced - tail.length;
    if (from < first && this.#files !== undefined) {
      const old = this.#files.read(from, max);
      // A gap in the files up to the buffered bytes is skipped.
      if (old.bytes.length > 0 && old.next - old.bytes.length < first)
        return {
          bytes: old.bytes,
          next: old.next,
          droppedBytes: old.droppedBytes,
          ended: this.isFinal && old.next === this.produced,
        };
    }
    const asked = wholeNumber(from);
    const start = Math.min(Math.max(asked, first), this.produced);
    const bytes = tail.slice(start - first, start - first + wholeNumber(max));
    const next = start + bytes.length;
    return { bytes, next, droppedBytes: Math.max(0, first - asked), ended: this.isFinal && next === this.produced };
  }
}
