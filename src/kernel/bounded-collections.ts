/** Collections with a maximum size, for hosts and sessions that run for long. */

/** A map of at most `max` entries; beyond that, the one that was set longest ago is deleted. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number, entries: Iterable<readonly [Key, Value]> = []) {
    super();
    this.#max = max;
    for (const [key, value] of entries) this.set(key, value);
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) this.delete(this.keys().next().value as Key);
    return this;
  }
}

/** A set of at most `max` values; beyond that, the one that was added longest ago is deleted. */
export class BoundedSet<Value> extends Set<Value> {
  readonly #max: number;

  constructor(max: number, values: Iterable<Value> = []) {
    super();
    this.#max = max;
    for (const value of values) this.add(value);
  }

  override add(value: Value): this {
    this.delete(value);
    super.add(value);
    if (this.size > this.#max) this.delete(this.values().next().value as Value);
    return this;
  }
}
