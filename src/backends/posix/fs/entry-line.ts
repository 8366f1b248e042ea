/** Parses the remote side's line about a file system entry. */
import type { EntryKind, FsEntryInfo } from "../../../kernel/index.js";

const KINDS: Readonly<Record<number, EntryKind>> = { 8: "file", 4: "directory", 10: "link" };
const LETTERS: Readonly<Record<string, EntryKind>> = { "-": "file", d: "directory", l: "link" };
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

/**
 * Reads "MODE OWNER GROUP LINKS CHANGED|VERSION". Where the remote side has `stat`, MODE is hexadecimal and VERSION
 * "DEVICE:NODE SIZE TIME"; where it has only `ls`, MODE is letters, times are to the minute and VERSION is "NODE SIZE TIME".
 */
export function readEntryLine(line: string): FsEntryInfo {
  const [left = "", version = ""] = splitFields(line, "|");
  const [mode = "", , , , ...changed] = left.split(" ");
  const [, size = "0"] = version.split(" ");
  const isHex = /^[0-9a-f]+$/.test(mode);
  const bits = isHex ? Number.parseInt(mode, 16) : bitsOf(mode);
  const kind = (isHex ? KINDS[bits >> 12] : LETTERS[mode[0] ?? ""]) ?? "other";
  return {
    kind,
    size: kind === "file" ? Number(size) : 0,
    modifiedMs: isHex ? exactTime(changed.join(" ")) : minuteTime(changed),
    mode: bits & 0o7777,
    version,
  };
}

function splitFields(text: string, at: string): readonly [string, string?] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** "2024-02-29 12:34:56.789012345 +0130", in whole milliseconds. */
function exactTime(text: string): number {
  const found = /^(\S+) (\d+:\d+:\d+)(?:\.(\d+))? ([+-]\d\d)(\d\d)$/.exec(text);
  if (found === null) return 0;
  const [, date, time, fraction = "", hours, minutes] = found;
  return Date.parse(`${date}T${time}.${fraction.padEnd(3, "0").slice(0, 3)}${hours}:${minutes}`);
}

/** "Feb 29 12:34" of the last year, or "Feb 29 2024"; UTC. */
function minuteTime([month = "", day = "", time = ""]: readonly string[]): number {
  const at = MONTHS.indexOf(month) / 3;
  const clock = /^(\d+):(\d+)$/.exec(time);
  if (clock === null) return Date.UTC(Number(time), at, Number(day));
  const now = new Date();
  const guess = Date.UTC(now.getUTCFullYear(), at, Number(day), Number(clock[1]), Number(clock[2]));
  // One day of tolerance for clocks that differ.
  return guess > now.getTime() + 86_400_000
    ? Date.UTC(now.getUTCFullYear() - 1, at, Number(day), Number(clock[1]), Number(clock[2]))
    : guess;
}

/** The permission bits of "-rwsr-xr-t". */
function bitsOf(letters: string): number {
  let bits = 0;
  for (let index = 1; index <= 9; index += 1) {
    const letter = letters[index] ?? "-";
    if (!"-ST".includes(letter)) bits |= 1 << (9 - index);
    if ("sS".includes(letter)) bits |= index === 3 ? 0o4000 : 0o2000;
    if ("tT".includes(letter)) bits |= 0o1000;
  }
  return bits;
}
