/** The maximum of `Date`, in milliseconds since the epoch. */
const MAX_DATE_MS = 8.64e15;

/** Whether a value read from a file is a time in the range of `Date`. */
export function isTimestampMs(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= MAX_DATE_MS;
}
