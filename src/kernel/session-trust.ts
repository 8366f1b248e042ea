import type { Autonomy } from "./autonomy.js";
import type { Provenance } from "./result.js";

/** Sources of untrusted content that a session remembers: the first ones, because one is enough to be careful. */
export const MAX_TAINT_SOURCES = 20;
const MAX_REF_LENGTH = 200;
/** URLs that a session remembers: the latest ones. */
export const MAX_SHOWN_URLS = 5_000;
/** Longer URLs are not remembered. */
export const MAX_SHOWN_URL_LENGTH = 2_048;

/** Content of these origins may be written by somebody who wants the model to obey it. */
const UNTRUSTED: ReadonlySet<Provenance["from"]> = new Set(["outside", "web", "pane", "server"]);

export const isUntrusted = ({ from }: Pick<Provenance, "from">): boolean => UNTRUSTED.has(from);

/** What policy knows of a session. The host sets the level, what calls return sets the rest, and no tool sees any of it. */
export class SessionTrust {
  /** The level that the host has set for this session. Undefined: the level of the host. */
  autonomy: Autonomy | undefined;
  #taint: readonly Provenance[] = Object.freeze([]);
  readonly #urls = new Set<string>();

  /** Where the untrusted content comes from that the model was shown in this session, each source once. */
  get taint(): readonly Provenance[] {
    return this.#taint;
  }

  /** Remembers that the model was shown content of this origin. */
  shown({ from, ref }: Provenance): void {
    if (!UNTRUSTED.has(from) || this.#taint.length >= MAX_TAINT_SOURCES) return;
    const short = ref.slice(0, MAX_REF_LENGTH);
    if (this.#taint.some((known) => known.from === from && known.ref === short)) return;
    this.#taint = Object.freeze([...this.#taint, Object.freeze({ from, ref: short })]);
  }

  /** The URLs that results have shown or that were requested, normalized and without a fragment, the oldest first. */
  get shownUrls(): ReadonlySet<string> {
    return this.#urls;
  }

  /** Remembers URLs that the model was shown, or that were requested. Others than of HTTP are ignored. */
  shownUrl(...urls: readonly string[]): void {
    for (const text of urls) {
      if (text.length > MAX_SHOWN_URL_LENGTH || !URL.canParse(text)) continue;
      const url = new URL(text);
      url.hash = "";
      if (!/^https?:$/.test(url.protocol) || url.href.length > MAX_SHOWN_URL_LENGTH) continue;
      this.#urls.delete(url.href);
      this.#urls.add(url.href);
      const [oldest] = this.#urls.size > MAX_SHOWN_URLS ? this.#urls : [];
      if (oldest !== undefined) this.#urls.delete(oldest);
    }
  }
}
