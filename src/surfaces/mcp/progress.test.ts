import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ProgressNotification, progressOf, SILENCE_MS } from "./progress.js";

let reported: ProgressNotification["params"][];
beforeEach(() => {
  reported = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const start = () =>
  progressOf("t", async ({ params }) => {
    reported.push(params);
  });
const event = (text: string) =>
  ({ kind: "output", stream: "stdout", offset: 0, bytes: new TextEncoder().encode(text) }) as const;

it("reports that a silent call still runs, every ten seconds, with a number that grows", () => {
  const progress = start();
  vi.advanceTimersByTime(SILENCE_MS - 1);
  expect(reported).toEqual([]);
  vi.advanceTimersByTime(2 * SILENCE_MS + 1);
  expect(reported).toEqual([
    { progressToken: "t", progress: 1, message: "still running after 10 s" },
    { progressToken: "t", progress: 2, message: "still running after 20 s" },
    { progressToken: "t", progress: 3, message: "still running after 30 s" },
  ]);
  progress.end();
  vi.advanceTimersByTime(5 * SILENCE_MS);
  expect(reported).toHaveLength(3);
});

it("reports the first event at once and of many only the latest, never less progress than before", () => {
  const progress = start();
  for (const text of ["a", "b", "c"]) progress.onEvent(event(text));
  vi.advanceTimersByTime(100);
  vi.advanceTimersByTime(SILENCE_MS);
  progress.onEvent(event("d"));
  vi.advanceTimersByTime(100);
  expect(reported.map(({ message }) => message)).toEqual(["a", "c", "still running after 10 s", "d"]);
  const numbers = reported.map(({ progress }) => progress);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(new Set(numbers).size).toBe(numbers.length);
  progress.end();
});

it("never leaves more than ten seconds without a word, whenever the last event came", () => {
  const progress = start();
  const at: number[] = [];
  for (let second = 0; second < 60; second++) {
    const before = reported.length;
    if (second % 13 === 4) progress.onEvent(event(`event ${second}`));
    vi.advanceTimersByTime(1000);
    if (reported.length > before) at.push(second + 1);
  }
  const pauses = at.map((second, index) => second - (at[index - 1] ?? 0));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(10);
  progress.end();
});

it("says nothing of an event that comes after the end", () => {
  const progress = start();
  progress.end();
  progress.onEvent(event("late"));
  vi.advanceTimersByTime(5 * SILENCE_MS);
  expect(reported).toEqual([]);
});
