/** Numbers of callers where only whole ones mean anything: offsets, lengths, counts, milliseconds. */

/** `value` without its fraction, within `min` (default 0) and `max` (default 2^53 - 1); `otherwise` (default 0) for NaN. */
export function wholeNumber(
  value: number,
  {
    min = 0,
    max = Number.MAX_SAFE_INTEGER,
    otherwise = 0,
  }: { readonly min?: number; readonly max?: number; readonly otherwise?: number } = {},
): number {
  if (Number.isNaN(value)) return otherwise;
  return Math.min(max, Math.max(min, Math.trunc(value)));
}
