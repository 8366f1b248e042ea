/** The toolkit of a server: opened by the first call, and another one once the client works in another folder. */
import type { Toolkit } from "../../toolkit/index.js";

export interface ServedToolkitOptions {
  /** `root` is the client's folder, a file URL; absent when it was not asked or has none of this machine. */
  open(root: string | undefined): Promise<Toolkit>;
  /** Whether the client's folders decide where to work. */
  readonly needsRoots: boolean;
  /** Calls go to another toolkit from now on. */
  onMoved(from: Toolkit, to: Toolkit): Promise<void>;
}

interface Place {
  readonly root: string | undefined;
}

export class ServedToolkit {
  readonly #options: ServedToolkitOptions;
  /** Where the client wants to work; undefined while it is to be asked. */
  #requested: Place | undefined;
  /** The toolkit that the last call asked for. */
  #asked: (Place & { readonly toolkit: Promise<Toolkit> }) | undefined;
  /** The one that calls go to. It stays while no other can be opened, so that what it holds is never out of sight. */
  #served: (Place & { readonly toolkit: Toolkit }) | undefined;
  /** Toolkits are opened one after another. Never rejects. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ServedToolkitOptions) {
    this.#options = options;
    this.#requested = options.needsRoots ? undefined : { root: undefined };
  }

  /** Takes the client's folders, file URLs, of which the first of this machine counts; undefined while nobody needs them. */
  get takeRoots(): ((roots: readonly string[]) => void) | undefined {
    if (this.#requested !== undefined) return undefined;
    return (reported) => {
      // A client that does not answer again has not left its folders.
      this.#requested =
        reported.length === 0 && this.#served !== undefined
          ? this.#served
          : { root: reported.find((root) => root.startsWith("file:")) };
    };
  }

  /** The client's folders have changed: they are wanted again. */
  forgetRoots(): void {
    if (this.#options.needsRoots) this.#requested = undefined;
  }

  /** The one for the folder as it is now. A failure is not kept: what was wrong may be mended before the next call. */
  open(): Promise<Toolkit> {
    const { root } = this.#requested ?? this.#served ?? { root: undefined };
    if (this.#asked !== undefined && this.#asked.root === root) return this.#asked.toolkit;
    const toolkit = this.#queue.then(() => this.#openIn(root));
    this.#queue = toolkit.catch(() => {
      if (this.#asked?.toolkit === toolkit) this.#asked = undefined;
    });
    this.#asked = { root, toolkit };
    return toolkit;
  }

  /** The one that calls go to, once all that was asked for has been opened; undefined where none is. Never rejects. */
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
