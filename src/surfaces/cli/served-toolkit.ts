/** The toolkit of a server: opened by the first call, and another one once the client works in other folders. */
import type { Toolkit } from "../../toolkit/index.js";

export interface ServedToolkitOptions {
  /** `roots` are the client's folders, file URLs; none when it was not asked or has none. */
  open(roots: readonly string[]): Promise<Toolkit>;
  /** Whether the client's folders decide where to work. */
  readonly needsRoots: boolean;
  /** Calls go to another toolkit from now on. */
  onMoved(from: Toolkit, to: Toolkit): Promise<void>;
}

export class ServedToolkit {
  readonly #options: ServedToolkitOptions;
  /** Undefined while the client is to be asked. */
  #roots: readonly string[] | undefined;
  #opened: { readonly roots: readonly string[]; readonly toolkit: Promise<Toolkit> } | undefined;

  constructor(options: ServedToolkitOptions) {
    this.#options = options;
    this.#roots = options.needsRoots ? undefined : [];
  }

  /** Takes the client's folders; undefined while nobody needs them. */
  get takeRoots(): ((roots: readonly string[]) => void) | undefined {
    if (this.#roots !== undefined) return undefined;
    return (told) => {
      // A client that does not answer again has not left its folders.
      this.#roots = told.length === 0 && this.#opened !== undefined ? this.#opened.roots : told;
    };
  }

  /** The client's folders have changed: they are wanted again. */
  forgetRoots(): void {
    if (this.#options.needsRoots) this.#roots = undefined;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** The one for the folders as they are now. A failure is not kept: what was wrong may be mended before the next call. */
  open(): Promise<Toolkit> {
    const wanted = this.#roots ?? [];
    if (this.#opened !== undefined && isSame(this.#opened.roots, wanted)) return this.#opened.toolkit;
    const before = this.#opened?.toolkit;
    const next = before === undefined ? this.#options.open(wanted) : this.#moved(before, wanted);
    const toolkit = next.catch((error: unknown) => {
      if (this.#opened?.toolkit === toolkit) this.#opened = undefined;
      throw error;
    });
    this.#opened = { roots: wanted, toolkit };
    return toolkit;
  }

  /** The one that is open; undefined where none is. */
  async current(): Promise<Toolkit | undefined> {
    return this.#opened?.toolkit.catch(() => undefined);
  }

  async #moved(before: Promise<Toolkit>, wanted: readonly string[]): Promise<Toolkit> {
    const next = await this.#options.open(wanted);
    const old = await before.catch(() => undefined);
    if (old !== undefined) await this.#options.onMoved(old, next);
    return next;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
