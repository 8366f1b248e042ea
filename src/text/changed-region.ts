/** Where two texts begin and cease to differ, at line starts; the offsets are UTF-16 units. */
interface ChangedRegion {
  /** Both texts are equal up to here. */
  readonly headEnd: number;
  /** Lines in that equal start. */
  readonly headLines: number;
  /** Both texts are equal from here on. */
  readonly beforeTail: number;
  readonly afterTail: number;
}

const STEP = 4096;

/**
 * Finds the equal lines at both ends of two texts without splitting them into lines, so that what follows costs by the
 * size of the change. A line counts with its ending; equal texts differ in nothing from their last line start on.
 */
export function findChangedRegion(before: string, after: string): ChangedRegion {
  const equalHead = commonHead(before, after);
  const headEnd = equalHead === 0 ? 0 : before.lastIndexOf("\n", equalHead - 1) + 1;
  const equalTail = commonTail(before, after, Math.min(before.length, after.length) - headEnd);
  let beforeTail = before.length - equalTail;
  let afterTail = after.length - equalTail;
  if (!isLineStart(before, beforeTail, headEnd) || !isLineStart(after, afterTail, headEnd)) {
    const newline = before.indexOf("\n", beforeTail);
    const shift = newline === -1 ? equalTail : newline + 1 - beforeTail;
    beforeTail += shift;
    afterTail += shift;
  }
  return { headEnd, headLines: newlinesBefore(before, headEnd), beforeTail, afterTail };
}

function isLineStart(text: string, offset: number, headEnd: number): boolean {
  return offset === headEnd || text.charCodeAt(offset - 1) === 10;
}

function newlinesBefore(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Compares slices, which is a memory comparison, and looks at single units only in the slice that differs. */
function commonHead(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length + STEP <= limit && before.slice(length, length + STEP) === after.slice(length, length + STEP))
    length += STEP;
  while (length < limit && before.charCodeAt(length) === after.charCodeAt(length)) length++;
  return length;
}

function commonTail(before: string, after: string, limit: number): number {
  const tailsEqual = (from: number, to: number): boolean =>
    before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from);
  let length = 0;
  while (length + STEP <= limit && tailsEqual(length, length + STEP)) length += STEP;
  while (
    length < limit &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  ) {
    length++;
  }
  return length;
}
