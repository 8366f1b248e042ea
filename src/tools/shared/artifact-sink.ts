/** The way of a stream into an artifact. */
import type { ToolContext } from "../../kernel/index.js";

/** Bytes of one write: pieces as small as a pipe gives them would cost a turn of the store each. */
const BLOCK_BYTES = 256 * 1024;
/** With so much waiting to be written the command waits. */
const MAX_WAITING_BYTES = 1_048_576;

/** Where the whole of a stream is. */
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
  /** Blocks that wait for their turn, the oldest first. A store may keep what it is given, so each is used once. */
  #waiting: Uint8Array[] = [];
  #droppedBytes = 0;
  /** Ours, about what was lost. */
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
   * @param droppedBytes - How many before these never came.
   * @returns What to wait for before there are more.
   */
  push(bytes: Uint8Array, droppedBytes: number): Promise<void> | undefined {
    if (this.#failed) return undefined;
    this.#writeLossMarker(droppedBytes);
    this.#add(bytes);
    return this.#waiting.length * BLOCK_BYTES >= MAX_WAITING_BYTES ? this.#writing : undefined;
  }

  /** Never rejects. What was opened is ended, also after a write that failed. */
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

  /** Writes until nothing waits. After a failed write nothing is written any more. */
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
