import type { HaftError } from "./errors.js";

/**
 * The end of one call as a signal, created on demand: a tool that touches and awaits nothing needs none.
 */
export class CallSignal {
  #reason: (() => HaftError) | undefined;
  #control: AbortController | undefined;
  #shown: AbortController | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The signal that ports are judged by and listen on. A tool never gets it. */
  get signal(): AbortSignal {
    this.#control ??= this.#create();
    return this.#control.signal;
  }

  /** The signal for the tool, which can replace its members: nothing but the tool relies on it. */
  get toolSignal(): AbortSignal {
    this.#shown ??= this.#create();
    return this.#shown.signal;
  }

  #create(): AbortController {
    const control = new AbortController();
    if (this.#reason !== undefined) control.abort(this.#reason());
    return control;
  }

  /** The first reason counts; its error is created only if there is a signal, and for each one. */
  abort(reason: () => HaftError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#control?.abort(reason());
    this.#shown?.abort(reason());
  }
}
