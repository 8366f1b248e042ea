/** Paths that are resolved in one turn, as by many calls at once, go in one request. */
import type { ResolvedPath } from "../../../kernel/index.js";
import { walkMissing } from "../../../text/index.js";
import type { BulkPool } from "../channel/bulk-pool.js";
import type { OperationDeadline } from "./deadline.js";

interface Wish {
  readonly paths: readonly string[];
  readonly deadline: OperationDeadline;
  readonly resolve: (places: ResolvedPath[]) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Paths in one request. */
const MAX_PATHS = 200;

/** The remote side only looks, for whoever asks; each caller has compared its paths with its grant before. */
export class TogetherResolver {
  readonly #bulk: BulkPool;
  #wishes: Wish[] = [];
  #isBusy = false;

  constructor(bulk: BulkPool) {
    this.#bulk = bulk;
  }

  /** Where the paths lead, in their order. @throws `BACKEND_UNAVAILABLE`, and what ends the deadline. */
  resolve(deadline: OperationDeadline, paths: readonly string[]): Promise<ResolvedPath[]> {
    const answer = new Promise<ResolvedPath[]>((resolve, reject) => {
      this.#wishes.push({ paths, deadline, resolve, reject });
    });
    if (!this.#isBusy) {
      this.#isBusy = true;
      setImmediate(() => void this.#serve());
    }
    return deadline.race(answer);
  }

  /** Serves what was asked for meanwhile, until there is no more. */
  async #serve(): Promise<void> {
    while (this.#wishes.length > 0) {
      let count = 0;
      const next = this.#wishes.findIndex(({ paths }, index) => {
        count += paths.length;
        return index > 0 && count > MAX_PATHS;
      });
      const wishes = this.#wishes.splice(0, next === -1 ? this.#wishes.length : next);
      await this.#ask(wishes);
    }
    this.#isBusy = false;
  }

  async #ask(wishes: readonly Wish[]): Promise<void> {
    const [first] = wishes;
    if (first === undefined) return;
    const paths = wishes.flatMap((wish) => wish.paths);
    try {
      const places = readPlaces((await this.#bulk.request("resolve", paths, { signal: first.deadline.signal })).bytes);
      let at = 0;
      for (const { paths, resolve } of wishes) {
        resolve(places.slice(at, at + paths.length));
        at += paths.length;
      }
    } catch (thrown) {
      if (wishes.length === 1) first.reject(thrown);
      // The signal of the first may have ended it.
      else for (const wish of wishes) void this.#ask([wish]);
    }
  }
}

/** For each path: "A B KIND", a newline, and A and B bytes of the real path and of the missing part. */
function readPlaces(bytes: Uint8Array): ResolvedPath[] {
  const answers: ResolvedPath[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    const [real = "0", missing = "0", kind = "absent"] = decoder.decode(bytes.subarray(at, end)).split(" ");
    const start = end + 1;
    const middle = start + Number(real);
    at = middle + Number(missing);
    answers.push({
      ...walkMissing(decoder.decode(bytes.subarray(start, middle)), decoder.decode(bytes.subarray(middle, at))),
      kind: kind as ResolvedPath["kind"],
    });
  }
  return answers;
}
