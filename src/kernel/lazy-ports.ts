/** The unguarded ports of a target, for the host: the first operation opens it. */
import type { Fs } from "./fs.js";
import type { Shell } from "./shell.js";
import type { Target } from "./target.js";

export class LazyFs implements Fs {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  async #open(): Promise<Fs> {
    return (await this.#target.open()).root.fs;
  }

  async readText(...given: Parameters<Fs["readText"]>) {
    return (await this.#open()).readText(...given);
  }
  async readBytes(...given: Parameters<Fs["readBytes"]>) {
    return (await this.#open()).readBytes(...given);
  }
  async readRange(...given: Parameters<Fs["readRange"]>) {
    return (await this.#open()).readRange(...given);
  }
  async *openRead(...given: Parameters<Fs["openRead"]>) {
    yield* (await this.#open()).openRead(...given);
  }
  async readPastLines(...given: Parameters<NonNullable<Fs["readPastLines"]>>) {
    return (await this.#open()).readPastLines?.(...given);
  }
  async writeFile(...given: Parameters<Fs["writeFile"]>) {
    return (await this.#open()).writeFile(...given);
  }
  async replaceAtomic(...given: Parameters<Fs["replaceAtomic"]>) {
    return (await this.#open()).replaceAtomic(...given);
  }
  async replaceFrom(...given: Parameters<Fs["replaceFrom"]>) {
    return (await this.#open()).replaceFrom(...given);
  }
  async stat(...given: Parameters<Fs["stat"]>) {
    return (await this.#open()).stat(...given);
  }
  async readDir(...given: Parameters<Fs["readDir"]>) {
    return (await this.#open()).readDir(...given);
  }
  async mkdir(...given: Parameters<Fs["mkdir"]>) {
    return (await this.#open()).mkdir(...given);
  }
  async rm(...given: Parameters<Fs["rm"]>) {
    return (await this.#open()).rm(...given);
  }
  async rename(...given: Parameters<Fs["rename"]>) {
    return (await this.#open()).rename(...given);
  }
  async exists(...given: Parameters<Fs["exists"]>) {
    const fs = await this.#open().catch(() => undefined);
    return fs === undefined ? false : fs.exists(...given);
  }
  async resolve(...given: Parameters<Fs["resolve"]>) {
    return (await this.#open()).resolve(...given);
  }
}

export class LazyShell implements Shell {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  async #open(): Promise<Shell> {
    return (await this.#target.open()).root.shell;
  }

  async exec(...given: Parameters<Shell["exec"]>) {
    return (await this.#open()).exec(...given);
  }
  async spawn(...given: Parameters<Shell["spawn"]>) {
    return (await this.#open()).spawn(...given);
  }
  async attach(...given: Parameters<Shell["attach"]>) {
    return (await this.#open()).attach(...given);
  }
  async jobs(...given: Parameters<Shell["jobs"]>) {
    return (await this.#open()).jobs(...given);
  }
}
