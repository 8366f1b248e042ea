import type { ToolContext } from "../../kernel/index.js";
import { concatBytes } from "../../text/index.js";

type StreamName = "stdout" | "stderr";

/** Bytes of a stream that are told as progress; after them only how much there is. */
const MAX_TOLD_BYTES = 65_536;
/** Bytes between two further events. */
const EVENT_EVERY_BYTES = 1_048_576;
/** Bytes that may wait to be written to an artifact. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Where the whole of a stream is. */
export interface RecordedStream {
  readonly artifact: string;
  readonly producedBytes: number;
  /** Fewer than were produced where the artifact has a gap. */
  readonly keptBytes: number;
}

/**
 * Follows one stream of a command: tells its output as it comes, and keeps all of it as an artifact once it is more than an
 * answer holds. A store that cannot keep up loses bytes in the middle, and the artifact says where and how many.
 */
export class OutputRecorder {
  #early: Uint8Array[] = [];
  #seenBytes = 0;
  #told = 0;
  #decoder = new TextDecoder();
  #sink: ArtifactSink | undefined;

  /** @param fitsBytes - As much as an answer holds: a stream of at most so many bytes makes no artifact. */
  constructor(
    private readonly ctx: Pick<ToolContext, "artifacts" | "emit">,
    private readonly stream: StreamName,
    private readonly fitsBytes: number,
    private readonly what: string,
  ) {}

  push(bytes: Uint8Array): void {
    const before = this.#seenBytes;
    this.#seenBytes += bytes.length;
    this.#tell(bytes, before);
    if (this.#sink !== undefined) {
      this.#sink.push(bytes);
      return;
    }
    this.#early.push(new Uint8Array(bytes));
    if (this.#seenBytes <= this.fitsBytes) return;
    this.#sink = new ArtifactSink(this.ctx, `${this.stream} of ${this.what}`);
    for (const chunk of this.#early) this.#sink.push(chunk);
    this.#early = [];
  }

  /** Ends the artifact where there is one. Never rejects: without a place to keep it, the output is only cut. */
  async end(): Promise<RecordedStream | undefined> {
    return this.#sink?.end();
  }

  #tell(bytes: Uint8Array, before: number): void {
    const { stream } = this;
    if (this.#told < MAX_TOLD_BYTES) {
      const part = bytes.subarray(0, MAX_TOLD_BYTES - this.#told);
      this.#told += part.length;
      const text = this.#decoder.decode(part, { stream: true });
      if (text !== "") this.ctx.emit({ kind: "output", data: { stream, text } });
    } else if (Math.floor(before / EVENT_EVERY_BYTES) < Math.floor(this.#seenBytes / EVENT_EVERY_BYTES)) {
      this.ctx.emit({ kind: "output", data: { stream, text: "", bytes: this.#seenBytes } });
    }
  }
}

/** Writes chunks to an artifact, one write at a time, with a bound on what waits. */
class ArtifactSink {
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #lostBytes = 0;
  #totalLost = 0;
  #writing: Promise<void>;
  #isWriting = true;
  #failed = false;
  readonly #opened: Promise<Awaited<ReturnType<ToolContext["artifacts"]["create"]>> | undefined>;

  constructor(ctx: Pick<ToolContext, "artifacts">, what: string) {
    this.#opened = ctx.artifacts.create({ what }).catch(() => {
      this.#failed = true;
      return undefined;
    });
    this.#writing = this.#drain();
  }

  push(bytes: Uint8Array): void {
    if (this.#failed) return;
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#lostBytes += bytes.length;
      return;
    }
    this.#tellLoss();
    // A backend that is not ours may use its buffer again; `slice` of a Buffer would be no copy.
    this.#wait(new Uint8Array(bytes));
    if (!this.#isWriting) this.#writing = this.#drain();
  }

  async end(): Promise<RecordedStream | undefined> {
    this.#tellLoss();
    await this.#writing;
    await this.#drain();
    const writer = await this.#opened;
    if (writer === undefined || this.#failed) return undefined;
    const { producedBytes, keptBytes } = await writer.end();
    return { artifact: writer.id, producedBytes: producedBytes + this.#totalLost, keptBytes };
  }

  #wait(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  #tellLoss(): void {
    if (this.#lostBytes === 0) return;
    this.#wait(new TextEncoder().encode(`\n[${this.#lostBytes} bytes could not be kept]\n`));
    this.#totalLost += this.#lostBytes;
    this.#lostBytes = 0;
  }

  async #drain(): Promise<void> {
    this.#isWriting = true;
    try {
      const writer = await this.#opened;
      while (writer !== undefined && this.#waiting.length > 0) {
        const chunks = this.#waiting;
        this.#waiting = [];
        this.#waitingBytes = 0;
        // One write for all that waits: a command prints faster than a store takes small pieces.
        await writer.write(concatBytes(chunks));
      }
    } catch {
      this.#failed = true;
    } finally {
      this.#isWriting = false;
    }
  }
}
