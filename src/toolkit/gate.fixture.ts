/** A promise that the test settles. */
export function gate<T>() {
  let pass: (value: T) => void = () => {};
  let refuse: (error: Error) => void = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    pass = resolve;
    refuse = reject;
  });
  return { promise, pass, refuse };
}
