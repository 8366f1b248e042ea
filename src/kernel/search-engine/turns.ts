import type { SearchScope } from "./source.js";

/** Gives others their turn while lines are matched, and hears whether the search is over. */
export class Turns {
  readonly #scope: Pick<SearchScope, "signal" | "pause" | "isPauseDue">;

  constructor(scope: Pick<SearchScope, "signal" | "pause" | "isPauseDue">) {
    this.#scope = scope;
  }

  /** Whether it is time for `isOver`. Cheap: to be asked after every step that may be a long one. */
  isDue(): boolean {
    return this.#scope.isPauseDue?.() ?? true;
  }

  async isOver(): Promise<boolean> {
    await this.#scope.pause?.();
    return this.#scope.signal.aborted;
  }
}
