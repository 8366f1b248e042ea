/** Delivers one output stream of a command to a listener with backpressure: the part of `onOutput` shared by all backends. */

import type { Clock } from "./services.js";
import { isPromise } from "./with-timeout.js";

/** Receives one stream of a command; see `ShellOptions.onOutput`. */
export type StreamListener = (bytes: Uint8Array, offset: number) => void | Promise<void>;

/** Milliseconds that a listener may delay the remaining output after a command has ended; then all of it is delivered at once. */
const FINAL_PUBLISH_MS = 1_000;

interface Chunk {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/**
 * Delivers chunks in order, each after the listener has consumed the previous one. Chunks published meanwhile are queued, so a
 * backend limits the queue by pausing its reads. If the listener throws or rejects, the chunk counts as consumed.
 */
export class OutputPublisher {
  #listener: StreamListener | undefined;
  #waiting: Chunk[] = [];
  #waitingBytes = 0;
  #held: Promise<void> | undefined;
  #release: () => void = () => {};
  #isSealed = false;

  /** @param borrows - Published buffers may be reused after `publish` or the listener returns, so queued chunks are copied. */
  constructor(
    listener: StreamListener,
    private readonly borrows = false,
  ) {
    this.#listener = listener;
  }

  /** Resolves when the listener has consumed everything or was removed; never rejects. Undefined if nothing is pending. */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  /** Published bytes that have not been delivered. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /**
   * @param bytes - The listener may keep them unless `borrows` is set.
   * @returns `held`: until it resolves, the backend should not read more.
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
   * Call after the command has ended. Resolves when everything has been consumed, at the latest with `late`; chunks still
   * queued then are delivered without waiting.
   */
  async finish(late: Promise<unknown>): Promise<void> {
    this.#isSealed = true;
    if (this.#held !== undefined) await Promise.race([this.#held, late]);
    for (let chunk = this.#next(); chunk !== undefined; chunk = this.#next()) void this.#call(chunk);
    this.stop();
  }

  /** Removes the listener and discards queued chunks. */
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

  /** A promise that never rejects, if the listener returned one. */
  #call({ bytes, offset }: Chunk): Promise<void> | undefined {
    try {
      const taken: unknown = this.#listener?.(bytes, offset);
      if (!isPromise(taken)) return undefined;
      return Promise.resolve(taken).then(
        () => {},
        () => {},
      );
    } catch {
      // An error of the listener does not affect the command.
      return undefined;
    }
  }
}

/**
 * Delivers the remaining output after a command has ended, and waits at most 1 s for the listeners. A publisher is undefined
 * for a stream without a listener.
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
