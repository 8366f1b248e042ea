/** Standard output as a wire: nothing but the protocol gets onto it. */
import type { Writable } from "node:stream";

interface StdioWire {
  /** For the protocol: what is written to it goes out at once, and its pauses and errors are those of standard output. */
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
  const write = original.bind(stdout);
  // Not a stream of its own: that would cost each message a turn.
  const output = Object.create(stdout, { write: { value: write } }) as NodeJS.WriteStream;
  for (const name of ["on", "once", "off", "removeListener", "listeners", "listenerCount", "emit"] as const)
    Object.defineProperty(output, name, { value: stdout[name].bind(stdout) });
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return {
    output,
    release() {
      stdout.write = original;
    },
  };
}
