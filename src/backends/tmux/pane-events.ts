import { callSafely } from "../../kernel/index.js";
import type { ServerEvents } from "./tmux-server.js";

export interface PaneListener {
  output(bytes: Uint8Array): void;
  /** Panes were opened or closed, or the client was lost. */
  changed?(): void;
  /** What panes print until there is another client does not arrive. */
  clientLost?(): void;
}

/** Passes what the client receives to those who wait for it. */
export class PaneEvents implements ServerEvents {
  readonly #listeners = new Map<string, Set<PaneListener>>();

  output(pane: string, bytes: Uint8Array): void {
    for (const one of this.#listeners.get(pane) ?? []) callSafely(() => one.output(bytes));
  }

  changed(): void {
    this.#each((one) => one.changed?.());
  }

  clientLost(): void {
    this.#each((one) => one.clientLost?.());
  }

  /** @returns Stops listening. */
  listen(pane: string, listener: PaneListener): () => void {
    const all = this.#listeners.get(pane) ?? new Set();
    this.#listeners.set(pane, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.#listeners.delete(pane);
    };
  }

  #each(act: (one: PaneListener) => void): void {
    for (const all of this.#listeners.values()) for (const one of all) callSafely(() => act(one));
  }
}
