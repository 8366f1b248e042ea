import type { Captured } from "../../kernel/index.js";
import { HeadTailBuffer } from "../../text/index.js";

type OutputListener = (bytes: Uint8Array, offset: number) => void;

/** Keeps the ends of one stream for the result, its latest bytes for readers of a job, and tells a listener. */
export class OutputCapture {
  readonly #kept: HeadTailBuffer;
  /** Only for jobs: what `output` can still give. */
  #latest: HeadTailBuffer | undefined;
  #listener: OutputListener | undefined;
  isFinal = false;

  /** @param latestBytes - How many of the latest bytes can be asked for; 0 for a command whose output is not asked for. */
  constructor(keep: { readonly head: number; readonly tail: number }, latestBytes: number, listener?: OutputListener) {
    this.#kept = new HeadTailBuffer(keep.head, keep.tail);
    this.#latest = latestBytes > 0 ? new HeadTailBuffer(0, latestBytes) : undefined;
    this.#listener = listener;
  }

  get produced(): number {
    return this.#kept.produced;
  }

  /** @param chunk - Read only during the call. */
  push(chunk: Uint8Array): void {
    const offset = this.#kept.produced;
    this.#kept.push(chunk);
    this.#latest?.push(chunk);
    if (this.#listener === undefined) return;
    try {
      this.#listener(new Uint8Array(chunk), offset);
    } catch {
      // The listener's own fault; the command and its output have nothing to do with it.
    }
  }

  /** The call has settled: nobody is told any more. */
  stopTelling(): void {
    this.#listener = undefined;
  }

  /** Begins to keep the latest bytes, with those that the result keeps up to its end. */
  keepLatest(bytes: number): void {
    if (this.#latest !== undefined) return;
    this.#latest = new HeadTailBuffer(0, bytes);
    if (this.#kept.dropped === 0) this.#latest.push(this.#kept.head());
    this.#latest.push(this.#kept.tail());
  }

  captured(): Captured {
    return {
      head: this.#kept.head(),
      tail: this.#kept.tail(),
      produced: this.#kept.produced,
      dropped: this.#kept.dropped,
      final: this.isFinal,
    };
  }

  read(
    from: number,
    max: number,
  ): { readonly bytes: Uint8Array; readonly next: number; readonly lost: number; readonly ended: boolean } {
    const tail = this.#latest?.tail() ?? new Uint8Array();
    const first = this.produced - tail.length;
    const start = Math.min(Math.max(from, first), this.produced);
    const bytes = tail.slice(start - first, start - first + Math.max(0, max));
    const next = start + bytes.length;
    return { bytes, next, lost: Math.max(0, first - Math.max(0, from)), ended: this.isFinal && next === this.produced };
  }
}
