import type { HaftError } from "./errors.js";

/**
 * The end of one call as a signal, created on demand: a tool that touches and awaits nothing needs none.
 */
export class CallSignal {
  #reason: (() => HaftError) | undefined;
  #control: AbortController | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#control === undefined) {
      this.#control = new AbortController();
      if (this.#reason !== undefined) this.#control.abort(this.#reason());
    }
    return this.#control.signal;
  }

  /** The first reason counts; its error is created only if there is a signal. */
  abort(reason: () => HaftError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#control?.abort(reason());
  }
}
