import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "./fs-faults.js";
import { newNonce } from "./nonce.js";

/**
 * A nameless file with these bytes, to be read from its start; undefined where none can be made. A named pipe would not do:
 * whoever opens one again for reading, as `cat /dev/stdin` does, waits for a writer, and ours has gone by then.
 */
export function inputFile(bytes: Uint8Array): number | undefined {
  const path = join(tmpdir(), `haft-input-${newNonce()}`);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
    return descriptor;
  } catch {
    if (descriptor !== undefined) closeSync(descriptor);
    return undefined;
  }
}

/** Standard input of a command. A command that reads no more is no error. */
export class CommandInput {
  #descriptor: number | undefined;
  #socket: Socket | undefined;

  constructor(end: number | Socket | undefined) {
    if (typeof end === "number") this.#descriptor = end;
    else this.#adopt(end);
  }

  /** Resolves when the bytes are taken or nobody reads them any more. */
  async write(bytes: Uint8Array): Promise<void> {
    const rest = this.#writeNow(bytes);
    if (rest.length === 0) return;
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return;
    await new Promise<void>((resolve) => {
      socket.once("close", resolve);
      // The bytes are kept until they are taken, and the caller may use its buffer again.
      socket.write(rest.slice(), () => resolve());
    });
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#socket?.end();
  }

  /** Gives up what has not been taken. */
  destroy(): void {
    this.close();
    this.#socket?.destroy();
  }

  /** Writes what the pipe has room for, so that little input needs no waiting. */
  #writeNow(bytes: Uint8Array): Uint8Array {
    let at = 0;
    while (this.#descriptor !== undefined && at < bytes.length) {
      try {
        at += writeSync(this.#descriptor, bytes, at);
      } catch (thrown) {
        const descriptor = this.#descriptor;
        this.#descriptor = undefined;
        if (systemCode(thrown) !== "EAGAIN") {
          closeSync(descriptor);
          return new Uint8Array();
        }
        this.#adopt(new Socket({ fd: descriptor, readable: false, writable: true }));
      }
    }
    return bytes.subarray(at);
  }

  #adopt(socket: Socket | undefined): void {
    this.#socket = socket;
    socket?.on("error", () => socket.destroy());
  }
}
