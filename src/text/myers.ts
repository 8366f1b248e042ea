/** Steps that a search may still take; one step is one diagonal visited or one element passed. */
export interface WorkBudget {
  remaining: number;
}

/** The elements to drop and to insert, as a flag per element: what is not flagged pairs up in order. */
export interface EditMarks {
  readonly removed: Uint8Array;
  readonly added: Uint8Array;
}

/**
 * Finds a shortest edit script between two sequences of integers: Myers' search from both ends that meets in the
 * middle, repeated on both halves. Time is the product of length and script length; memory is linear whatever the
 * script.
 *
 * @returns The marks, or `undefined` as soon as `budget` is spent; then nothing is known about the sequences.
 */
export function shortestEdits(before: Int32Array, after: Int32Array, budget: WorkBudget): EditMarks | undefined {
  const search = new MiddleSearch(before, after, budget);
  return search.solve(0, before.length, 0, after.length) ? search.marks : undefined;
}

class MiddleSearch {
  readonly marks: EditMarks;
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  readonly #budget: WorkBudget;
  /** Furthest element of `before` reached per diagonal, from the start and, mirrored, from the end. */
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  #splitBefore = 0;
  #splitAfter = 0;

  constructor(before: Int32Array, after: Int32Array, budget: WorkBudget) {
    this.#before = before;
    this.#after = after;
    this.#budget = budget;
    this.marks = { removed: new Uint8Array(before.length), added: new Uint8Array(after.length) };
    this.#forward = new Int32Array(before.length + after.length + 3);
    this.#backward = new Int32Array(before.length + after.length + 3);
  }

  /** Marks one box of the edit grid. The script length halves with each level, so the recursion stays shallow. */
  solve(beforeStart: number, beforeEnd: number, afterStart: number, afterEnd: number): boolean {
    let [top, bottom, left, right] = [beforeStart, beforeEnd, afterStart, afterEnd];
    while (top < bottom && left < right && this.#before[top] === this.#after[left]) {
      top++;
      left++;
    }
    while (top < bottom && left < right && this.#before[bottom - 1] === this.#after[right - 1]) {
      bottom--;
      right--;
    }
    if (top === bottom || left === right) {
      this.marks.removed.fill(1, top, bottom);
      this.marks.added.fill(1, left, right);
      return true;
    }
    if (!this.#findSplit(top, bottom, left, right)) return false;
    const [splitBefore, splitAfter] = [this.#splitBefore, this.#splitAfter];
    return this.solve(top, splitBefore, left, splitAfter) && this.solve(splitBefore, bottom, splitAfter, right);
  }

  /**
   * Finds a point on a shortest script at about half its length. Diagonal `k` holds the points whose offset in `before`
   * is `k` more than in `after`; diagonals that have reached an edge of the box are omitted from later rounds.
   */
  #findSplit(top: number, bottom: number, left: number, right: number): boolean {
    const [before, after, forward, backward] = [this.#before, this.#after, this.#forward, this.#backward];
    const rows = bottom - top;
    const columns = right - left;
    const zero = columns + 1;
    const delta = rows - columns;
    const meetsForward = (delta & 1) === 1 || (delta & 1) === -1;
    let remaining = this.#budget.remaining;
    forward[zero + 1] = 0;
    backward[zero + 1] = 0;
    for (let depth = 0; remaining > 0; depth++) {
      const low = depth <= columns ? -depth : depth - 2 * columns;
      const high = depth <= rows ? depth : 2 * rows - depth;
      for (let k = low; k <= high; k += 2) {
        const down = k === -depth || (k !== depth && forward[zero + k - 1]! < forward[zero + k + 1]!);
        const start = down ? forward[zero + k + 1]! : forward[zero + k - 1]! + 1;
        let x = start;
        let y = x - k;
        while (x < rows && y < columns && before[top + x] === after[left + y]) {
          x++;
          y++;
        }
        forward[zero + k] = x;
        remaining -= 1 + x - start;
        const mirrored = delta - k;
        if (meetsForward && mirrored > -depth && mirrored < depth && x + backward[zero + mirrored]! >= rows)
          return this.#splitAt(top + x, left + y, remaining);
      }
      for (let k = low; k <= high; k += 2) {
        const down = k === -depth || (k !== depth && backward[zero + k - 1]! < backward[zero + k + 1]!);
        const start = down ? backward[zero + k + 1]! : backward[zero + k - 1]! + 1;
        let x = start;
        let y = x - k;
        while (x < rows && y < columns && before[bottom - 1 - x] === after[right - 1 - y]) {
          x++;
          y++;
        }
        backward[zero + k] = x;
        remaining -= 1 + x - start;
        const mirrored = delta - k;
        if (!meetsForward && mirrored >= -depth && mirrored <= depth && x + forward[zero + mirrored]! >= rows)
          return this.#splitAt(bottom - x, right - y, remaining);
      }
    }
    this.#budget.remaining = 0;
    return false;
  }

  #splitAt(before: number, after: number, remaining: number): true {
    this.#splitBefore = before;
    this.#splitAfter = after;
    this.#budget.remaining = remaining;
    return true;
  }
}
