import type { HaftError } from "./errors.js";

/**
 * The end of one call as a signal, which is made when somebody asks for it: the call of a tool that touches and awaits
 * nothing has none.
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

  /** The first reason counts; it is made when there is a signal that carries it. */
  abort(reason: () => HaftError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#control?.abort(reason());
  }
}
