/** Whether something has to be waited for. Parts that others give may answer at once or later. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/**
 * `next` of what `value` is or comes to: at once where nothing has to be waited for. Waits as `await` does: the `then` of a
 * part that others give may return nothing, call back twice, or come to another one that has to be waited for.
 */
export function after<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}
