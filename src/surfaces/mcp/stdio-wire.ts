/** Standard output as a wire: nothing but the protocol gets onto it. */
import { Writable } from "node:stream";

export interface StdioWire {
  /** For the protocol. */
  readonly output: Writable;
  /** Gives standard output back. */
  release(): void;
}

/**
 * Takes standard output for the protocol. Whatever else the process prints there meanwhile, `console.log` and libraries
 * included, goes to standard error.
 */
export function claimStdout(stdout: NodeJS.WriteStream = process.stdout, stderr = process.stderr): StdioWire {
  const original = stdout.write;
  const write = original.bind(stdout) as (chunk: Uint8Array, done: (error?: Error | null) => void) => boolean;
  const output = new Writable({
    // The client reads slowly or not at all: the pause reaches the one who writes.
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, done);
    },
  });
  stdout.on("error", (error) => output.destroy(error));
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return {
    output,
    release() {
      stdout.write = original;
    },
  };
}
