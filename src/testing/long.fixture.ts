/** Whether this is `npm run test:long`, which also plays what is too slow for each run. */
export const LONG = process.env.LONG === "1";

/** So many runs of a property whose runs are dear, and ten times as many in a long run. */
export const runCount = (everyTime: number): number => (LONG ? 10 * everyTime : everyTime);
