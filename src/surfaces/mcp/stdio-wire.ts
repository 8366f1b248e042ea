/** Reserves stdout for the protocol. */
import type { Writable } from "node:stream";

interface StdioWire {
  /** For the protocol: what is written to it goes out at once, and its pauses and errors are those of standard output. */
  readonly output: Writable;
  /** Restores stdout. */
  release(): void;
}

/**
 * Reserves stdout for the protocol. Everything else that the process prints there meanwhile, also by `console.log` and
 * libraries, goes to stderr.
 */
export function claimStdout(stdout: NodeJS.WriteStream = process.stdout, stderr = process.stderr): StdioWire {
  const original = stdout.write;
  const write = original.bind(stdout);
  // Not a separate stream, which would delay each message by a turn of the event loop.
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
