import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { liveProgress } from "./live-progress.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 30, write: (text: string) => written.push(text) };
}

it("a terminal sees what a long call is doing, in one line that is wiped at the end", () => {
  const screen = terminal(true);
  const progress = liveProgress("bash", screen);
  progress.onEvent({
    kind: "output",
    data: { stream: "stdout", text: "compiling\n\u001b[31mfile two of a great many" },
  });
  vi.advanceTimersByTime(900);
  expect(screen.written).toEqual([]);
  vi.advanceTimersByTime(600);
  const last = screen.written.at(-1) ?? "";
  expect(last).toContain("bash 2 s");
  expect(last).toContain("file two");
  expect(last).not.toContain("\u001b[31m");
  progress.end();
  expect(screen.written.at(-1)).toBe("\r\u001b[2K");
  const count = screen.written.length;
  vi.advanceTimersByTime(5_000);
  expect(screen.written).toHaveLength(count);
});

it("a short call draws nothing, and a pipe never sees anything", () => {
  const [screen, pipe] = [terminal(true), terminal(false)];
  for (const one of [screen, pipe]) {
    const progress = liveProgress("bash", one);
    progress.onEvent({ kind: "output", data: { text: "x" } });
    vi.advanceTimersByTime(one === pipe ? 5_000 : 500);
    progress.end();
  }
  expect([screen.written, pipe.written]).toEqual([[], []]);
});
