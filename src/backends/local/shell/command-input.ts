import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newNonce, systemClock } from "../../../host/index.js";
import { BlockInput, type InputAccepted, type InputOptions } from "../../../kernel/index.js";
import { systemCode } from "../fs/faults.js";

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

/** Standard input of a command. A command that reads no more is no error of its own. */
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

  /** Writes all of it, then end of file. The caller may use its buffer again at once. */
  give(bytes: Uint8Array): void {
    const close = () => this.close();
    void this.write("", bytes.slice()).then(close, close);
  }

  /** End of file, behind what is on its way. */
  close(): Promise<void> {
    return this.#blocks.close();
  }

  /** Drops input that has not been written yet. */
  destroy(): void {
    void this.close();
    this.#shut();
    this.#socket?.destroy();
  }

  /** Writes what the pipe has room for, so that little input needs no waiting; the rest waits for the reader. */
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
