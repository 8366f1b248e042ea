import { closeSync, readSync } from "node:fs";
import { Socket } from "node:net";
import type { Pipe } from "../../../host/index.js";
import { systemCode } from "../fs/faults.js";

/** Bytes of one read: the capacity of a pipe. */
export const READ_BYTES = 64 * 1024;

/** Receives a chunk; reading pauses until the returned promise resolves. The promise never rejects. */
type OnBytes = (chunk: Uint8Array) => Promise<void> | undefined;

/** Streams the output of a command with backpressure. */
export interface StreamReader {
  readonly hasEnded: boolean;
  /** Begins to read as bytes come. */
  start(): void;
  /** Waiting for bytes no longer keeps this process alive. */
  unref(): void;
  /** Reads what is available, at most `maxBytes`, even while paused, because the command has ended. */
  drain(maxBytes: number): void;
  /** Stops reading. The command then gets EPIPE. */
  close(): void;
}

/**
 * Reads a pipe of ours. Chunks passed to `onBytes` are only valid during the call, because the buffer is reused.
 * @param buffer - At least `READ_BYTES`; may be shared by all readers of a thread.
 */
export function pipeReader(pipe: Pipe, buffer: Uint8Array, onBytes: OnBytes, onEnd: () => void): StreamReader {
  const descriptor = pipe.readEnd;
  let socket: Socket | undefined;
  let hasEnded = false;
  let isClosed = false;
  const hold = new BackPressure(() => {
    if (!hasEnded) socket?.resume();
  });
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    socket?.destroy();
    onEnd();
  };
  return {
    get hasEnded() {
      return hasEnded;
    },
    start() {
      if (hasEnded || socket !== undefined) return;
      if (hold.until !== undefined) {
        // A new socket would read at once.
        void hold.until.then(() => this.start());
        return;
      }
      const onread = {
        buffer,
        callback(length: number, bytes: Uint8Array) {
          hold.set(onBytes(bytes.subarray(0, length)));
          // False: no more is read until it is resumed.
          return hold.until === undefined;
        },
      };
      socket = new Socket({ fd: descriptor, readable: true, writable: false, onread } as object);
      socket.once("end", end);
      socket.once("error", end);
      socket.once("close", end);
      socket.resume();
    },
    unref() {
      socket?.unref();
    },
    drain(maxBytes) {
      for (let taken = 0; taken < maxBytes && !hasEnded; ) {
        let count: number;
        try {
          count = readSync(descriptor, buffer, 0, READ_BYTES, null);
        } catch (thrown) {
          if (systemCode(thrown) === "EAGAIN") return;
          return end();
        }
        if (count === 0) return end();
        taken += count;
        hold.set(onBytes(buffer.subarray(0, count)));
      }
    },
    close() {
      end();
      if (isClosed) return;
      isClosed = true;
      if (socket === undefined) closeSync(descriptor);
    },
  };
}

/** Reads a socket that Node made for a child, where there are no pipes. */
export function socketReader(socket: Socket, onBytes: OnBytes, onEnd: () => void): StreamReader {
  let hasEnded = false;
  /** Bytes that are still read while the stream is paused. */
  let spareBytes = 0;
  const hold = new BackPressure(() => {
    if (!hasEnded) socket.resume();
  });
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    socket.destroy();
    onEnd();
  };
  socket.on("data", (chunk: Uint8Array) => {
    hold.set(onBytes(chunk));
    if (hold.until === undefined) return;
    spareBytes -= chunk.length;
    if (spareBytes <= 0) socket.pause();
  });
  socket.once("end", end);
  socket.once("error", end);
  socket.once("close", end);
  return {
    get hasEnded() {
      return hasEnded;
    },
    start() {},
    unref() {
      socket.unref();
    },
    drain(maxBytes) {
      if (hasEnded || hold.until === undefined) return;
      // It cannot be read synchronously: the data arrives as events.
      spareBytes = maxBytes;
      socket.resume();
    },
    close: end,
  };
}

/** Whether reading a stream may continue. */
class BackPressure {
  readonly #onFree: () => void;
  until: Promise<void> | undefined;

  /** @param onFree - Called when it may continue. */
  constructor(onFree: () => void) {
    this.#onFree = onFree;
  }

  set(until: Promise<void> | undefined): void {
    if (until === undefined || until === this.until) return;
    this.until = until;
    void until.then(() => {
      if (this.until !== until) return;
      this.until = undefined;
      this.#onFree();
    });
  }
}
