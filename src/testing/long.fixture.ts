/** Whether this is `npm run test:long`, which includes tests that are too slow for every run. */
export const LONG = process.env.LONG === "1";

/** The number of runs of an expensive property; ten times as many in a long run. */
export const runCount = (everyTime: number): number => (LONG ? 10 * everyTime : everyTime);
