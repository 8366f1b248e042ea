/** A private copy of what a model sent, so that what is recorded, judged and run is one and the same. */

/** Levels of nesting that arguments may have. */
export const MAX_ARGUMENT_DEPTH = 128;
/** Values that arguments may hold, lists and objects counted with their members. */
export const MAX_ARGUMENT_VALUES = 1_000_000;

/**
 * Copies JSON data; each member is read once. Members that are undefined go, as in JSON; an infinite number, which JSON text
 * can spell (`1e999`), becomes the largest one. `problem` is a clause: what keeps the value from being JSON data.
 */
export function plainCopy(value: unknown): { readonly value: unknown } | { readonly problem: string } {
  if (typeof value === "string" || value === null || value === undefined) return { value };
  const copy = new PlainCopy();
  try {
    return { value: copy.of(value, 0) };
  } catch {
    // What was thrown is not looked at: it may be anything that a getter or a proxy throws.
    return { problem: copy.problem };
  }
}

class PlainCopy {
  problem = "they cannot be read";
  #values = 0;
  readonly #above: object[] = [];

  of(value: unknown, depth: number): unknown {
    if (++this.#values > MAX_ARGUMENT_VALUES) throw this.#refuse(`they hold more than ${MAX_ARGUMENT_VALUES} values`);
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number") return this.#finite(value);
    if (typeof value !== "object") throw this.#refuse(`they hold a ${typeof value}, which JSON does not have`);
    if (ArrayBuffer.isView(value)) throw this.#refuse("they hold raw bytes, which JSON does not have");
    if (depth >= MAX_ARGUMENT_DEPTH) throw this.#refuse(`they are nested more than ${MAX_ARGUMENT_DEPTH} levels deep`);
    if (this.#above.includes(value)) throw this.#refuse("they hold themselves");
    this.#above.push(value);
    const copy = Array.isArray(value) ? this.#list(value, depth) : this.#members(value, depth);
    this.#above.pop();
    return copy;
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < list.length; index++) copy.push(this.of(list[index] ?? null, depth + 1));
    return copy;
  }

  #members(holder: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(holder)) {
      const member = (holder as Record<string, unknown>)[key];
      if (member !== undefined) setOwn(copy, key, this.of(member, depth + 1));
    }
    return copy;
  }

  #finite(value: number): number {
    if (Number.isNaN(value)) throw this.#refuse("they hold a number that is none");
    return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE;
  }

  #refuse(problem: string): Error {
    this.problem = problem;
    return new Error(problem);
  }
}

/** Sets a member under any name: assigning to `__proto__` would set the prototype, and its members would pass for arguments. */
export function setOwn(holder: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    holder[key] = value;
  }
}
