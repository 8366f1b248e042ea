/** A text without what a terminal would have overwritten. */
export interface RedrawnText {
  readonly text: string;
  /** Frames left out: states of a line, or of several lines, that a later state covered. */
  readonly frames: number;
}

const REDRAWS = /[\r\b]|\x1b\[\d*[AFG]/;
/** A return to the start of the line. */
const RETURNS = /\r+|\x1b\[[01]?G/;
/** Lines up. */
const UPS = /\x1b\[(\d*)[AF]/;
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]/g;
/** Erases the rest of the line or of the screen, or all of the line. */
const ERASES = /\x1b\[[023]?[KJ]/;
const DOWN = /\x1b\[\d*[BE]/;
/** A frame that erases itself. */
const ERASED = /\x1b\[[12]K\s*$/;
/** Characters by which two states of one line are known: numbers change, words mostly do not. */
const ALIKE_START = 4;
/** Columns by which the length of a state changes, as a number in it grows. */
const ALIKE_LENGTH = 2;

/**
 * Leaves out what nobody sees on a terminal: states of a progress bar, of a spinner, of several lines that are drawn anew.
 * Of each line its last state stands, and what it did not cover. `\r\n` is a line ending. `\r` alone is one as well, unless
 * what stands between looks like states of one line: at least half of the neighbours begin alike or are as long, or there
 * are escape sequences. Such text stays as it is. Linear.
 */
export function omitOverwritten(text: string): RedrawnText {
  if (!REDRAWS.test(text)) return { text, frames: 0 };
  const rows: string[] = [];
  let frames = 0;
  for (const line of text.split("\n")) {
    const end = /\r*$/.exec(line)?.[0] ?? "";
    let rest = line.slice(0, line.length - end.length);
    if (REDRAWS.test(rest)) {
      const risen = riseOver(rows, rest);
      const drawn = lastState(risen.rest);
      frames += risen.frames + drawn.frames;
      rest = drawn.text;
    }
    rows.push(rest + end);
  }
  return { text: rows.join("\n"), frames };
}

/** Takes the rows away that a cursor moved up over and erased. */
function riseOver(rows: string[], line: string): { readonly rest: string; readonly frames: number } {
  const [first = "", ...moves] = line.split(UPS);
  if (moves.length === 0 || DOWN.test(line) || !ERASES.test(line) || widthOf(first) > 0)
    return { rest: line, frames: 0 };
  let frames = 0;
  let rest = first;
  for (let at = 0; at < moves.length; at += 2) {
    const gone = rows.splice(-Math.max(1, Math.min(Number(moves[at] || 1), rows.length)));
    if (gone.some((row) => widthOf(row) > 0)) frames += 1;
    rest += moves[at + 1] ?? "";
  }
  return { rest, frames };
}

function lastState(line: string): RedrawnText {
  const stepped = line.includes("\b") ? withoutSteppedOver(line) : { text: line, frames: 0 };
  const states = stepped.text.split(RETURNS);
  if (states.length === 1 || !isRedrawn(stepped.text, states)) return stepped;
  let { frames } = stepped;
  let covered = 0;
  const kept: string[] = [];
  for (let at = states.length - 1; at >= 0; at--) {
    const state = states[at]!;
    const width = widthOf(state);
    if (width > covered) kept.push(state);
    else if (width > 0 || isErased(state)) frames += 1;
    covered = Math.max(covered, ERASES.test(state) ? Number.POSITIVE_INFINITY : lengthOf(state));
  }
  return { text: kept.reverse().join("\r"), frames };
}

/** Whether the parts between carriage returns are states of one line, and not lines. */
function isRedrawn(line: string, states: readonly string[]): boolean {
  if (line.includes("\x1b[")) return true;
  let alike = 0;
  for (let at = 1; at < states.length; at++) if (areAlike(states[at - 1]!, states[at]!)) alike += 1;
  return alike * 2 >= states.length - 1;
}

function areAlike(one: string, other: string): boolean {
  if (one.trim() === "" || other.trim() === "") return true;
  const start = (state: string) => state.trimStart().slice(0, ALIKE_START).replace(/\d/g, "0");
  return Math.abs(one.length - other.length) <= ALIKE_LENGTH || start(one) === start(other);
}

/** What stands before backspaces and was written over. A backspace that nothing follows moves only the cursor. */
function withoutSteppedOver(line: string): RedrawnText {
  const kept: string[] = [];
  let frames = 0;
  let back = 0;
  for (const character of line) {
    if (character === "\b") {
      back += 1;
      continue;
    }
    if (back > 0) {
      if (kept.splice(-back).some((gone) => gone.trim() !== "")) frames += 1;
      back = 0;
    }
    kept.push(character);
  }
  return { text: kept.join(""), frames };
}

function isErased(state: string): boolean {
  return ERASED.test(state) && state.replace(SEQUENCES, "").trim() !== "";
}

/** Columns up to the last character that is seen. */
function widthOf(state: string): number {
  return ERASED.test(state) ? 0 : state.replace(SEQUENCES, "").trimEnd().length;
}

/** Columns that are written. */
function lengthOf(state: string): number {
  return state.replace(SEQUENCES, "").length;
}
