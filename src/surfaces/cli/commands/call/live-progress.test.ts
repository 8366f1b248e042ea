import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { stripControls } from "../../../../text/index.js";
import { liveProgress } from "./live-progress.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const output = (text: string) =>
  ({ kind: "output", stream: "stdout", offset: 0, bytes: new TextEncoder().encode(text) }) as const;

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 30, rows: 6, write: (text: string) => written.push(text) };
}

it("a terminal sees what a long call is doing, with the last lines of its output, and all of it is wiped at the end", () => {
  const screen = terminal(true);
  const progress = liveProgress("bash", screen);
  progress.onEvent(output("compiling\n\u001b[31mfile two of a great many"));
  vi.advanceTimersByTime(900);
  expect(screen.written).toEqual([]);
  vi.advanceTimersByTime(600);
  const last = screen.written.at(-1) ?? "";
  expect(last).toContain("bash 2 s");
  expect(last).toContain("file two");
  expect(last).not.toContain("\u001b[31m");
  progress.end();
  expect(last).toContain("compiling");
  expect(last.split("\n")).toHaveLength(3);
  expect(screen.written.at(-1)).toBe("\r\u001b[2A\u001b[J");
  const count = screen.written.length;
  vi.advanceTimersByTime(5_000);
  expect(screen.written).toHaveLength(count);
});

it("a short call draws nothing, and a pipe never sees anything", () => {
  const [screen, pipe] = [terminal(true), terminal(false)];
  for (const one of [screen, pipe]) {
    const progress = liveProgress("bash", one);
    progress.onEvent(output("x"));
    vi.advanceTimersByTime(one === pipe ? 5_000 : 500);
    progress.end();
  }
  expect([screen.written, pipe.written]).toEqual([[], []]);
});

it("no line wraps and no more is drawn than the terminal has rows, so that each redraw wipes the last", () => {
  const screen = terminal(true);
  const progress = liveProgress("bash", screen);
  const text = Array.from({ length: 50 }, (_, line) => `${line}:${"漢字".repeat(40)}\r\n`).join("");
  progress.onEvent(output(text));
  vi.advanceTimersByTime(1_500);
  const lines = stripControls((screen.written.at(-1) ?? "").replace(/^.*\u001b\[J/, "")).text.split("\n");
  expect(lines.map((line) => line.slice(0, 3))).toEqual(["bas", "46:", "47:", "48:", "49:"]);
  for (const line of lines) expect(line.length + [...line].filter((one) => one > "\u1100").length).toBeLessThan(30);
  expect(screen.written.at(-1)).toContain("\r\u001b[4A\u001b[J");
  progress.end();
});

it("nothing is drawn while the user is asked, and that time does not count", async () => {
  const screen = terminal(true);
  const progress = liveProgress("bash", screen);
  progress.onEvent(output("before the question"));
  vi.advanceTimersByTime(1_500);
  let answer = (): void => {};
  const question = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const asked = progress.without(() => question);
  expect(screen.written.at(-1)).toBe("\r\u001b[1A\u001b[J");
  const { length } = screen.written;
  vi.advanceTimersByTime(60_000);
  expect(screen.written).toHaveLength(length);
  answer();
  await asked;
  vi.advanceTimersByTime(1_000);
  expect(screen.written.at(-1)).toMatch(/bash [23] s/);
  progress.end();
});
