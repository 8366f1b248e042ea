import { closeSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { systemCode } from "./fs-faults.js";
import type { Pipe, PipePool } from "./pipe-pool.js";

/** Bytes of one read from a pipe: as many as a pipe holds. */
export const READ_BYTES = 64 * 1024;

/** Reads the output of a command, as fast as it comes and without waiting for its end. */
export interface StreamReader {
  readonly hasEnded: boolean;
  /** Begins to read as bytes come. */
  start(): void;
  /** Waiting for bytes no longer keeps this process alive. */
  unref(): void;
  /** Takes what is there now, at most `maxBytes`. */
  drain(maxBytes: number): void;
  /**
   * Reads no more. The command then meets a closed pipe.
   * @param isUnshared - Whether nobody else can have the stream open: then it is kept for another command.
   */
  close(isUnshared: boolean): void;
}

/**
 * Reads a pipe of ours. Chunks given to `onBytes` lie in a buffer that is used again: they are gone after the call.
 * @param buffer - At least `READ_BYTES`; may be shared by all readers of a thread.
 */
export function pipeReader(
  pipe: Pipe,
  pool: PipePool,
  buffer: Uint8Array,
  onBytes: (chunk: Uint8Array) => void,
  onEnd: () => void,
): StreamReader {
  const descriptor = pipe.readEnd;
  let socket: Socket | undefined;
  let hasEnded = false;
  let isClosed = false;
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
      const onread = {
        buffer,
        callback(length: number, bytes: Uint8Array) {
          onBytes(bytes.subarray(0, length));
          return true;
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
        onBytes(buffer.subarray(0, count));
      }
    },
    close(isUnshared) {
      const wasAtItsEnd = hasEnded;
      end();
      if (isClosed) return;
      isClosed = true;
      if (socket !== undefined) return;
      if (wasAtItsEnd && isUnshared) pool.giveBack(pipe);
      else closeSync(descriptor);
    },
  };
}

/** Reads a socket that Node made for a child, where there are no pipes. */
export function socketReader(socket: Socket, onBytes: (chunk: Uint8Array) => void, onEnd: () => void): StreamReader {
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    socket.destroy();
    onEnd();
  };
  socket.on("data", onBytes);
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
    drain() {},
    close: end,
  };
}
