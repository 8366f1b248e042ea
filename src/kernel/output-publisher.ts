/** Tells one stream of a command to a listener that may hold it back: the part of `onOutput` that every backend shares. */

import type { Clock } from "./services.js";
import { isPromise } from "./with-timeout.js";

/** Gets one stream of a command; see `ShellOptions.onOutput`. */
export type StreamListener = (bytes: Uint8Array, offset: number) => void | Promise<void>;

/** Milliseconds that a listener may still hold what is left when a command has ended; then it is reported all of it at once. */
const FINAL_PUBLISH_MS = 1_000;

interface Chunk {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/**
 * One chunk after the other, each told when the one before has been taken. Nothing is lost: what is given meanwhile waits
 * here, so that a backend bounds it by reading no more. A listener that throws or rejects has taken its chunk.
 */
export class OutputPublisher {
  #listener: StreamListener | undefined;
  #waiting: Chunk[] = [];
  #waitingBytes = 0;
  #held: Promise<void> | undefined;
  #release: () => void = () => {};
  #isSealed = false;

  /** @param borrows - What is reported is good only until `tell`, or the listener, has returned: what has to wait is copied. */
  constructor(
    listener: StreamListener,
    private readonly borrows = false,
  ) {
    this.#listener = listener;
  }

  /** Resolves when all that was told has been taken, or nobody listens any more; never rejects. Undefined: it has been. */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  /** Bytes that were given and not told yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /**
   * @param bytes - The listener's to keep, but where it borrows them.
   * @returns `held`: as long as it has not resolved, no more is to be read.
   */
  publish(bytes: Uint8Array, offset: number): Promise<void> | undefined {
    if (this.#listener === undefined || this.#isSealed) return undefined;
    if (this.#held !== undefined) {
      this.#waiting.push({ bytes: this.borrows ? new Uint8Array(bytes) : bytes, offset });
      this.#waitingBytes += bytes.length;
      return this.#held;
    }
    const taken = this.#call({ bytes, offset });
    if (taken === undefined) return undefined;
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
    void this.#follow(taken);
    return this.#held;
  }

  /**
   * The command has ended: nothing more will be told. Resolves when all has been taken, at the latest with `late`; what waits
   * then is reported at once, one chunk after the other without a pause.
   */
  async finish(late: Promise<unknown>): Promise<void> {
    this.#isSealed = true;
    if (this.#held !== undefined) await Promise.race([this.#held, late]);
    for (let chunk = this.#next(); chunk !== undefined; chunk = this.#next()) void this.#call(chunk);
    this.stop();
  }

  /** Nobody listens any more; what waits is reported to nobody. */
  stop(): void {
    this.#listener = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#free();
  }

  async #follow(first: Promise<void>): Promise<void> {
    await first;
    for (let chunk = this.#next(); chunk !== undefined; chunk = this.#next()) await this.#call(chunk);
    this.#free();
  }

  #next(): Chunk | undefined {
    const chunk = this.#waiting.shift();
    this.#waitingBytes -= chunk?.bytes.length ?? 0;
    return chunk;
  }

  #free(): void {
    this.#held = undefined;
    this.#release();
  }

  /** A promise that never rejects, where the listener holds the stream. */
  #call({ bytes, offset }: Chunk): Promise<void> | undefined {
    try {
      const taken: unknown = this.#listener?.(bytes, offset);
      if (!isPromise(taken)) return undefined;
      return Promise.resolve(taken).then(
        () => {},
        () => {},
      );
    } catch {
      // The listener's own fault; the command and its output have nothing to do with it.
      return undefined;
    }
  }
}

/**
 * The command has ended: a listener that is slow gets what is left, too, and one that is stuck is waited for 1 s. Absent
 * tellings are those of streams that nobody listens to.
 */
export async function finishPublishing(
  tellings: readonly (OutputPublisher | undefined)[],
  timer: Clock["timer"],
): Promise<void> {
  let cancel = (): void => {};
  const late = new Promise<void>((resolve) => {
    if (tellings.some((publisher) => publisher?.held !== undefined)) cancel = timer(FINAL_PUBLISH_MS, resolve);
  });
  await Promise.all(tellings.map((publisher) => publisher?.finish(late)));
  cancel();
}
