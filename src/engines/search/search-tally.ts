import type { SearchEnd } from "../../kernel/index.js";
import { HaftError } from "../../kernel/index.js";

/** Most paths that an end record names. */
const MAX_NAMED_UNREADABLE = 20;

export type SkipReason =
  | "binary"
  | "unreadable"
  | "large"
  | "deep"
  | "policy"
  | "special"
  | "long"
  | "encoding"
  | "ignore-file";

/** Counts what a search looked at and what it omitted, and writes the end record. */
export class SearchTally {
  seen = 0;
  /** Hits that the query's offset passed over. */
  passed = 0;
  readonly #skipped: Partial<Record<SkipReason, number>> = {};
  readonly #unreadable: string[] = [];

  skip(reason: SkipReason, path?: string): void {
    this.#skipped[reason] = (this.#skipped[reason] ?? 0) + 1;
    if (reason === "unreadable" && path !== undefined && this.#unreadable.length < MAX_NAMED_UNREADABLE)
      this.#unreadable.push(path);
  }

  count(reason: SkipReason): number {
    return this.#skipped[reason] ?? 0;
  }

  /** Counts what a directory or file below the root rejected with. Rethrows what does not concern that one path. */
  failed(thrown: unknown, path: string): void {
    if (!HaftError.is(thrown)) throw thrown;
    // A name that is not UTF-8 was listed with replacement characters, so opening it fails although it exists.
    const isUnnamed = path.includes("\uFFFD");
    if (thrown.code === "FS_NOT_FOUND" && !isUnnamed) return;
    if (thrown.code.startsWith("POLICY_") || thrown.code === "CALL_UNCLAIMED") this.skip("policy");
    else if (thrown.code === "FS_NOT_A_FILE") this.skip("special");
    else if (thrown.code.startsWith("FS_")) this.skip("unreadable", path);
    else throw thrown;
  }

  end(why: SearchEnd["why"], engine: string): SearchEnd {
    const unreadable = this.#unreadable.length > 0 ? { unreadable: [...this.#unreadable] } : {};
    const passed = this.passed > 0 ? { passed: this.passed } : {};
    return { kind: "end", why, engine, seen: this.seen, skipped: { ...this.#skipped }, ...unreadable, ...passed };
  }
}

/** Why an aborted search ended. */
export function whyAborted(signal: AbortSignal): "deadline" | "cancelled" {
  return HaftError.is(signal.reason, "CALL_TIMEOUT") ? "deadline" : "cancelled";
}
