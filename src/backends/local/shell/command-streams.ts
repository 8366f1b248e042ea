/** The streams of one command, opened before it is started. */
import { closeSync } from "node:fs";
import type { Pipe, PipePool } from "../../../host/index.js";
import { inputFile } from "./command-input.js";

export interface StreamOptions {
  /** Bytes: all of it; "open": a stream that is written to later; "none": at its end from the start. */
  readonly stdin: Uint8Array | "open" | "none";
  /** Whether to open a second read end of each output. */
  readonly wantsSpare?: boolean;
}

/** Where a stream has no pipe, Node makes a socket for it. */
export interface CommandStreams {
  /** The `stdio` option of `spawn`. */
  readonly stdio: [number | "pipe" | "ignore", number | "pipe", number | "pipe"];
  readonly out: Pipe | undefined;
  readonly err: Pipe | undefined;
  /** Not blocking. */
  readonly inputWriter: number | undefined;
  /** How `/proc` shows standard input, where it is a pipe of ours. */
  readonly inputShownAs: string | undefined;
  /** Second read ends, blocking; absent if not requested or if there are no pipes. */
  readonly spare: { readonly out: number; readonly err: number } | undefined;
  /** Closes the ends that the child has inherited. */
  handOver(): void;
  /** Closes everything; for a child that did not start. */
  close(): void;
}

/** @throws The system's error, most often EMFILE; then nothing stays open. */
export function openStreams({ stdin, wantsSpare }: StreamOptions, pool: PipePool): CommandStreams {
  const ours = new Descriptors();
  const theirs = new Descriptors();
  const close = () => {
    theirs.close();
    ours.close();
  };
  try {
    const given = stdin instanceof Uint8Array ? theirs.add(inputFile(stdin)) : undefined;
    const input = stdin === "none" || given !== undefined ? undefined : pool.take();
    theirs.add(input?.readEnd);
    const out = pool.take();
    ours.add(out?.readEnd);
    const err = pool.take();
    ours.add(err?.readEnd);
    const inputWriter = ours.add(input?.openWriteEnd("non-blocking"));
    const inputEnd = given ?? theirs.add(input?.openReadEnd());
    const outEnd = theirs.add(out?.openWriteEnd("blocking"));
    const errEnd = theirs.add(err?.openWriteEnd("blocking"));
    // While the write ends are open here: without a writer, opening would block.
    const isSpare = wantsSpare === true && out !== undefined && err !== undefined;
    const spare = isSpare ? { out: ours.add(out.openReadEnd()), err: ours.add(err.openReadEnd()) } : undefined;
    return {
      stdio: [inputEnd ?? (stdin === "none" ? "ignore" : "pipe"), outEnd ?? "pipe", errEnd ?? "pipe"],
      out,
      err,
      inputWriter,
      inputShownAs: input?.shownAs,
      spare,
      handOver: () => theirs.close(),
      close,
    };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

/** Descriptors that are closed together. */
class Descriptors {
  readonly #all: number[] = [];

  add<T extends number | undefined>(one: T): T {
    if (one !== undefined) this.#all.push(one);
    return one;
  }

  close(): void {
    for (const one of this.#all.splice(0)) closeSync(one);
  }
}
