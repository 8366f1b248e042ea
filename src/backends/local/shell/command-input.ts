import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newNonce, systemClock } from "../../../host/index.js";
import { BlockInput, type InputAccepted, type InputOptions } from "../../../kernel/index.js";
import { systemCode } from "../fs/faults.js";

/**
 * An unlinked file with these bytes, opened at its start; undefined if it cannot be created. A FIFO would not work: reopening
 * it for reading, as `cat /dev/stdin` does, blocks until there is a writer, and ours has closed it by then.
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

/** Stdin of a command. A command that stops reading is not an error. */
export class CommandInput {
  readonly #blocks: BlockInput;
  #descriptor: number | undefined;
  #socket: Socket | undefined;

  constructor(end: number | Socket | undefined) {
    if (typeof end === "number") this.#descriptor = end;
    else this.#adopt(end);
    this.#blocks = new BlockInput({ send: (block) => this.#send(block), close: () => this.#shut() }, systemClock);
  }

  /** See `ShellHandle.write`. */
  write(id: string, bytes: Uint8Array, options?: InputOptions): Promise<InputAccepted> {
    return this.#blocks.write(id, bytes, options);
  }

  /** Writes all of it, then end of file. The caller may reuse its buffer at once. */
  give(bytes: Uint8Array): void {
    const close = () => this.close();
    void this.write("", bytes.slice()).then(close, close);
  }

  /** Sends end of file after all pending input. */
  close(): Promise<void> {
    return this.#blocks.close();
  }

  /** Drops input that has not been written yet. */
  destroy(): void {
    void this.close();
    this.#shut();
    this.#socket?.destroy();
  }

  /** Writes what fits into the pipe at once; the rest waits for the reader. */
  #send(block: Uint8Array): boolean | Promise<boolean> {
    let at = 0;
    while (this.#descriptor !== undefined && at < block.length) {
      try {
        at += writeSync(this.#descriptor, block, at);
      } catch (thrown) {
        const descriptor = this.#descriptor;
        this.#descriptor = undefined;
        if (systemCode(thrown) !== "EAGAIN") {
          closeSync(descriptor);
          return false;
        }
        this.#adopt(new Socket({ fd: descriptor, readable: false, writable: true }));
      }
    }
    const socket = this.#socket;
    if (at === block.length) return true;
    if (socket === undefined || socket.destroyed) return false;
    return new Promise<boolean>((resolve) => {
      const closed = () => resolve(false);
      socket.once("close", closed);
      socket.write(block.subarray(at), (error) => {
        socket.removeListener("close", closed);
        resolve(error === undefined || error === null);
      });
    });
  }

  #shut(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#socket?.end();
  }

  #adopt(socket: Socket | undefined): void {
    this.#socket = socket;
    socket?.on("error", () => socket.destroy());
  }
}
