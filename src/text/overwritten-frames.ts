/** A text without what a terminal would have overwritten. */
export interface RedrawnText {
  readonly text: string;
  /** Frames omitted: states of a line that a later state covered. */
  readonly frames: number;
}

const REDRAWS = /[\r\b]|\x1b\[[01]?G/;
/** A return to the start of the line. */
const RETURNS = /\r+|\x1b\[[01]?G/;
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]/g;
/** Erases the rest of the line or of the screen, or all of the line. */
const ERASES = /\x1b\[[023]?[KJ]/;
/** A frame that erases itself. */
const ERASED = /\x1b\[[12]K\s*$/;
/** Characters by which two states of one line are recognized: numbers change, words mostly do not. */
const ALIKE_START = 4;
/** Characters that are compared. */
const MAX_START = 40;
/** Cursor positioning or erasing, which no text for a file contains. */
const DRAWS = /\x1b\[(?:[01]?G|[0-3]?[KJ])/;

/**
 * Omits what a terminal would overwrite: the earlier states of a progress bar or spinner. The last state of each line stays, and
 * the part of earlier ones that it does not cover. `\r\n` is a line ending. A lone `\r` is one too, unless the parts look like
 * states of one line: at least half of them start like their neighbor, or the line is drawn by escape sequences. Lines redrawn by
 * moving the cursor up stay, and so does other text between frames. Linear.
 */
export function omitOverwritten(text: string): RedrawnText {
  if (!REDRAWS.test(text)) return { text, frames: 0 };
  let frames = 0;
  const rows = text.split("\n").map((line) => {
    let end = line.length;
    while (line[end - 1] === "\r") end--;
    const rest = line.slice(0, end);
    if (!REDRAWS.test(rest)) return line;
    const drawn = lastState(rest);
    frames += drawn.frames;
    return drawn.text + line.slice(end);
  });
  return { text: rows.join("\n"), frames };
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
    if (width > covered || isBetweenFrames(states, at)) kept.push(state);
    else if (width > 0 || isErased(state)) frames += 1;
    covered = Math.max(covered, ERASES.test(state) ? Number.POSITIVE_INFINITY : lengthOf(state));
  }
  return { text: kept.reverse().join("\r"), frames };
}

/** Whether the parts between carriage returns are states of one line, and not lines. */
function isRedrawn(line: string, states: readonly string[]): boolean {
  if (DRAWS.test(line)) return true;
  let alike = 0;
  for (let at = 1; at < states.length; at++) if (areAlike(states[at - 1]!, states[at]!)) alike += 1;
  return alike * 2 >= states.length - 1;
}

/** Text that a frame covered but that is not a frame itself, such as an error printed between two frames; it is kept. */
function isBetweenFrames(states: readonly string[], at: number): boolean {
  const [before, state, after] = [states[at - 1] ?? "", states[at]!, states[at + 1] ?? ""];
  if (widthOf(state) === 0 || widthOf(after) === 0 || DRAWS.test(state) || areAlike(state, after)) return false;
  return at === 0 ? !ERASES.test(after) : widthOf(before) === 0 || !areAlike(before, state);
}

function areAlike(one: string, other: string): boolean {
  if (one.trim() === "" || other.trim() === "") return true;
  return startOf(one) === startOf(other);
}

/** The first letters and numbers of a state, all numbers alike; a bar or spinner before them changes. */
function startOf(state: string): string {
  const words = state.replace(SEQUENCES, "").replace(/^[^\p{L}\p{N}]+/u, "");
  return words.slice(0, MAX_START).replace(/\d+/g, "0").slice(0, ALIKE_START);
}

/** Removes text that was overwritten after backspaces. A backspace at the end only moves the cursor. */
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
