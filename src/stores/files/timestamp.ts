/** The last moment that a date can tell, in milliseconds since the epoch. */
const MAX_DATE_MS = 8.64e15;

/** Whether a value read from a file is a moment that can be shown as a date. */
export function isTimestampMs(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= MAX_DATE_MS;
}
