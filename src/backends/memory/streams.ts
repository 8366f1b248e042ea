/** Streams of processes. Ends are reference-counted, so that a stream ends when its last holder closes it. */
import { OutputPublisher, type StreamListener } from "../../kernel/index.js";
import { HeadTailBuffer } from "../../text/index.js";

export interface Source {
  /** The next bytes, or null at the end. */
  read(): Promise<Uint8Array | null>;
  retain(): void;
  release(): void;
}

export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  retain(): void;
  release(): void;
}

/** Thrown to a writer whose readers have all closed: it ends by SIGPIPE. */
export class BrokenPipe extends Error {}

/** A source at end of file. */
export const NO_INPUT: Source = { read: async () => null, retain() {}, release() {} };

/** A sink that discards its input. */
export const NO_OUTPUT: Sink = { write: async () => {}, retain() {}, release() {} };

/** All of some bytes, in pieces. */
export function sourceOf(bytes: Uint8Array): Source {
  const pieceBytes = 64 * 1024;
  let at = 0;
  return {
    async read() {
      if (at >= bytes.length) return null;
      const piece = bytes.slice(at, at + pieceBytes);
      at += piece.length;
      return piece;
    },
    retain() {},
    release() {},
  };
}

const PIPE_BYTES = 64 * 1024;

/** A pipe: writers wait while it is full, readers while it is empty. Made with one holder at each end. */
export class BytePipe {
  #pieces: Uint8Array[] = [];
  #size = 0;
  #readers = 1;
  #writers = 1;
  #wake: (() => void)[] = [];

  readonly source: Source = {
    read: async () => {
      while (this.#pieces.length === 0) {
        if (this.#writers === 0) return null;
        await this.#change();
      }
      const piece = this.#pieces.shift() as Uint8Array;
      this.#size -= piece.length;
      this.#changed();
      return piece;
    },
    retain: () => {
      this.#readers += 1;
    },
    release: () => {
      this.#readers -= 1;
      this.#changed();
    },
  };

  readonly sink: Sink = {
    write: async (bytes) => {
      while (this.#readers > 0 && this.#size >= PIPE_BYTES) await this.#change();
      if (this.#readers === 0) throw new BrokenPipe();
      if (bytes.length === 0) return;
      this.#pieces.push(bytes.slice());
      this.#size += bytes.length;
      this.#changed();
    },
    retain: () => {
      this.#writers += 1;
    },
    release: () => {
      this.#writers -= 1;
      this.#changed();
    },
  };

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** How many bytes `output` can look back in a command that was spawned. */
const WINDOW_BYTES = 1024 * 1024;

/** One stream of a command as it is kept for its result: first and last bytes, the last MiB for `output`, and who holds it. */
export class Capture implements Sink {
  readonly kept: HeadTailBuffer;
  readonly #window: HeadTailBuffer;
  /** Absent without a listener. */
  readonly publisher: OutputPublisher | undefined;
  #holders = 0;

  constructor(keep: { readonly head: number; readonly tail: number }, listener: StreamListener | undefined) {
    this.kept = new HeadTailBuffer(keep.head, keep.tail);
    this.#window = new HeadTailBuffer(0, WINDOW_BYTES);
    this.publisher = listener && new OutputPublisher(listener);
  }

  /** Whether a process has the stream open. */
  get isOpen(): boolean {
    return this.#holders > 0;
  }

  /** Stores the bytes at once; the writer waits when a pipe's capacity is pending for the listener. */
  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    const offset = this.kept.produced;
    this.kept.push(bytes);
    this.#window.push(bytes);
    const held = this.publisher?.publish(bytes, offset);
    if (this.publisher !== undefined && this.publisher.waitingBytes >= PIPE_BYTES) await held;
  }

  retain(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
  }

  /** Bytes from `from` on as far as they are still there. */
  from(
    from: number,
    max: number,
  ): { readonly bytes: Uint8Array; readonly next: number; readonly droppedBytes: number } {
    const window = this.#window.tail();
    const start = this.kept.produced - window.length;
    const first = Math.min(Math.max(from, start), this.kept.produced);
    const bytes = window.slice(first - start, first - start + Math.max(0, max));
    return { bytes, next: first + bytes.length, droppedBytes: Math.max(0, first - from) };
  }
}
