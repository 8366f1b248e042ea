/** Writes a stream to an artifact. */
import type { ToolContext } from "../../kernel/index.js";

/** Bytes of one write: a pipe delivers small pieces, and each write to the store has a cost. */
const BLOCK_BYTES = 256 * 1024;
/** The command waits while this much is waiting to be written. */
const MAX_WAITING_BYTES = 1_048_576;

/** Where the complete stream is stored. */
export interface RecordedStream {
  readonly artifact: string;
  readonly producedBytes: number;
  /** Fewer than were produced where the artifact has a gap. */
  readonly keptBytes: number;
}

/** Writes the bytes of a stream in order, a block at a time; what does not fill one is written at the end. */
export class ArtifactSink {
  #block = new Uint8Array(BLOCK_BYTES);
  #usedBytes = 0;
  /** Blocks to be written, oldest first. The store may keep a reference, so no block is reused. */
  #waiting: Uint8Array[] = [];
  #droppedBytes = 0;
  /** Bytes of the markers for dropped bytes. */
  #markerBytes = 0;
  #writing: Promise<void> | undefined;
  #failed = false;
  readonly #opened: Promise<Awaited<ReturnType<ToolContext["artifacts"]["create"]>> | undefined>;

  constructor(ctx: Pick<ToolContext, "artifacts">, what: string) {
    this.#opened = ctx.artifacts.create({ what }).catch(() => {
      this.#failed = true;
      return undefined;
    });
  }

  /**
   * @param droppedBytes - How many bytes before these were dropped.
   * @returns A promise to await before pushing more.
   */
  push(bytes: Uint8Array, droppedBytes: number): Promise<void> | undefined {
    if (this.#failed) return undefined;
    this.#writeLossMarker(droppedBytes);
    this.#add(bytes);
    return this.#waiting.length * BLOCK_BYTES >= MAX_WAITING_BYTES ? this.#writing : undefined;
  }

  /** Never rejects. Also closes the artifact after a failed write. */
  async end(droppedBytes: number): Promise<RecordedStream | undefined> {
    if (!this.#failed) this.#writeLossMarker(droppedBytes);
    this.#send();
    await this.#writing;
    try {
      const writer = await this.#opened;
      const ended = await writer?.end();
      if (writer === undefined || ended === undefined || this.#failed) return undefined;
      const producedBytes = ended.producedBytes - this.#markerBytes + this.#droppedBytes;
      return { artifact: writer.id, producedBytes, keptBytes: ended.keptBytes - this.#markerBytes };
    } catch {
      return undefined;
    }
  }

  #add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#usedBytes);
      this.#block.set(part, this.#usedBytes);
      this.#usedBytes += part.length;
      at += part.length;
      if (this.#usedBytes === BLOCK_BYTES) this.#send();
    }
  }

  #send(): void {
    this.#waiting.push(this.#block.subarray(0, this.#usedBytes));
    this.#block = new Uint8Array(BLOCK_BYTES);
    this.#usedBytes = 0;
    this.#writing ??= this.#drain();
  }

  #writeLossMarker(bytes: number): void {
    if (bytes === 0) return;
    const marker = new TextEncoder().encode(`\n[${bytes} bytes could not be stored]\n`);
    this.#add(marker);
    this.#markerBytes += marker.length;
    this.#droppedBytes += bytes;
  }

  /** Writes until nothing waits; stops for good after a failed write. */
  async #drain(): Promise<void> {
    try {
      const writer = await this.#opened;
      for (let block = this.#waiting[0]; writer !== undefined && block !== undefined; block = this.#waiting[0]) {
        if (block.length > 0) await writer.write(block);
        this.#waiting.shift();
      }
    } catch {
      this.#failed = true;
      this.#waiting = [];
    } finally {
      this.#writing = undefined;
    }
  }
}
