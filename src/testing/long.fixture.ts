/** Whether this is `npm run test:long`, which includes tests that are too slow for every run. */
export const LONG = process.env.LONG === "1";

/** Every third of a list, and all of it in a long run: for cases that are all proved elsewhere, on the same code in other company. */
export const isSampled = (index: number): boolean => LONG || index % 3 === 0;

/** The number of runs of an expensive property; ten times as many in a long run. */
export const runCount = (everyTime: number): number => (LONG ? 10 * everyTime : everyTime);
