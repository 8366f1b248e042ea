/** The toolkit of a server: opened by the first call, and replaced when the client's root changes. */
import type { Toolkit } from "../../../../toolkit/index.js";

export interface ServedToolkitOptions {
  /** `root` is the client's root, a file URL; undefined if it was not requested or none is on this machine. */
  open(root: string | undefined): Promise<Toolkit>;
  /** Whether the client's roots decide the workspace. */
  readonly needsRoots: boolean;
  /** Later calls use another toolkit. */
  onMoved(from: Toolkit, to: Toolkit): Promise<void>;
}

interface Place {
  readonly root: string | undefined;
}

export class ServedToolkit {
  readonly #options: ServedToolkitOptions;
  /** The client's root; undefined until the client has reported its roots. */
  #requested: Place | undefined;
  /** The toolkit that the last call requested. */
  #opening: (Place & { readonly toolkit: Promise<Toolkit> }) | undefined;
  /** The toolkit of the calls. It stays if another one cannot be opened, so that its jobs and files stay reachable. */
  #served: (Place & { readonly toolkit: Toolkit }) | undefined;
  /** Toolkits are opened one at a time. Never rejects. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ServedToolkitOptions) {
    this.#options = options;
    this.#requested = options.needsRoots ? undefined : { root: undefined };
  }

  /** Receives the client's roots, file URLs, of which the first on this machine is used; undefined while they are not needed. */
  get takeRoots(): ((roots: readonly string[]) => void) | undefined {
    if (this.#requested !== undefined) return undefined;
    return (reported) => {
      // No answer to a repeated request keeps the current root.
      this.#requested =
        reported.length === 0 && this.#served !== undefined
          ? this.#served
          : { root: reported.find((root) => root.startsWith("file:")) };
    };
  }

  /** The client's roots changed, so they are requested again. */
  forgetRoots(): void {
    if (this.#options.needsRoots) this.#requested = undefined;
  }

  /** The toolkit for the current root. A failure is not cached: it may be fixed before the next call. */
  open(): Promise<Toolkit> {
    const { root } = this.#requested ?? this.#served ?? { root: undefined };
    if (this.#opening !== undefined && this.#opening.root === root) return this.#opening.toolkit;
    const toolkit = this.#queue.then(() => this.#openIn(root));
    this.#queue = toolkit.catch(() => {
      if (this.#opening?.toolkit === toolkit) this.#opening = undefined;
    });
    this.#opening = { root, toolkit };
    return toolkit;
  }

  /** The toolkit of the calls, after pending ones have opened; undefined if there is none. Never rejects. */
  async current(): Promise<Toolkit | undefined> {
    await this.#queue;
    return this.#served?.toolkit;
  }

  async #openIn(root: string | undefined): Promise<Toolkit> {
    const before = this.#served;
    if (before !== undefined && before.root === root) return before.toolkit;
    const toolkit = await this.#options.open(root);
    this.#served = { root, toolkit };
    if (before !== undefined) await this.#options.onMoved(before.toolkit, toolkit);
    return toolkit;
  }
}
