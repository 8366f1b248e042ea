/** What may be stored in memory, and searched for. */
import { HaftError, type MemoryContent, type MemoryQuery } from "../../kernel/index.js";
import { hasLoneSurrogate } from "../../text/index.js";

const MAX_KEY = 256;
const MAX_CONTENT = 65_536;
const MAX_CATEGORY = 64;
const MAX_TAGS = 16;
const MAX_TAG = 64;
const MAX_LIMIT = 100;
const MAX_DIMENSIONS = 8_192;
/** The maximum of `Date`. */
const MAX_TIME_MS = 8.64e15;

/** @throws `STORE_INVALID` for a content that cannot be stored. */
export function checkMemory(content: MemoryContent): void {
  const { key, category, tags = [], importance, storedMs = 0, vector } = content;
  const refuse = (why: string): never => {
    throw invalid(key, why);
  };
  const ofKey = nameProblem(key, MAX_KEY);
  if (ofKey !== undefined) refuse(`its key ${ofKey}`);
  const text: unknown = content.content;
  if (typeof text !== "string" || text === "") refuse("its content is empty");
  else if (text.length > MAX_CONTENT) refuse(`its content has ${text.length} characters, at most ${MAX_CONTENT} fit`);
  const ofCategory = nameProblem(category, MAX_CATEGORY);
  if (ofCategory !== undefined) refuse(`its category ${ofCategory}`);
  if (tags.length > MAX_TAGS) refuse(`it has ${tags.length} tags, at most ${MAX_TAGS} fit`);
  for (const [index, tag] of tags.entries()) {
    const why = nameProblem(tag, MAX_TAG);
    if (why !== undefined) refuse(`tag ${index + 1} ${why}`);
  }
  if (importance !== undefined && !(importance >= 0 && importance <= 1)) refuse("its importance is not from 0 to 1");
  if (!Number.isSafeInteger(storedMs) || Math.abs(storedMs) > MAX_TIME_MS)
    refuse("its time is not a whole number of milliseconds in the range of a date");
  if (vector !== undefined && !isVector(vector)) refuse(`its vector is not 1 to ${MAX_DIMENSIONS} finite numbers`);
}

/** Whether an entry can have this key: another one is looked up nowhere. */
export function isMemoryKey(key: string): boolean {
  return nameProblem(key, MAX_KEY) === undefined;
}

/** @throws `STORE_INVALID` for a limit or a vector that is out of range. */
export function checkQuery({ limit = 1, vector }: MemoryQuery): void {
  const why =
    !Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT
      ? `the limit is not a whole number from 1 to ${MAX_LIMIT}`
      : vector !== undefined && !isVector(vector)
        ? `the vector is not 1 to ${MAX_DIMENSIONS} finite numbers`
        : undefined;
  if (why !== undefined)
    throw new HaftError("STORE_INVALID", `Did not search the memory: ${why}.`, { details: { why } });
}

function isVector(vector: readonly number[]): boolean {
  return vector.length >= 1 && vector.length <= MAX_DIMENSIONS && vector.every(Number.isFinite);
}

function nameProblem(name: unknown, maxCharacters: number): string | undefined {
  if (typeof name !== "string") return "is not a string";
  if (name === "") return "is empty";
  if (name.length > maxCharacters) return `has ${name.length} characters, at most ${maxCharacters} fit`;
  if (/\p{Cc}/u.test(name)) return "has a control character";
  if (/[\p{Zl}\p{Zp}]/u.test(name)) return "has a line separator";
  return hasLoneSurrogate(name) ? "has a lone surrogate" : undefined;
}

function invalid(key: unknown, why: string): HaftError {
  const shown = typeof key === "string" ? JSON.stringify(key.slice(0, 100)) : String(key);
  return new HaftError("STORE_INVALID", `Did not store the memory ${shown}: ${why}.`, { details: { key: shown, why } });
}
