import { describe, expect, it } from "vitest";
import { readEntryLine } from "./entry-line.js";

describe("readEntryLine", () => {
  it("parses the output of stat: kind, mode bits, size, whole milliseconds and the version", () => {
    const line = "81a4 0 0 1 2026-11-27 23:32:28.319952613 +0130|65024:2228824 5 2026-11-27 23:32:28.319952613 +0130";
    expect(readEntryLine(line)).toEqual({
      kind: "file",
      size: 5,
      modifiedMs: Date.UTC(2026, 10, 27, 22, 2, 28, 319),
      mode: 0o644,
      version: "65024:2228824 5 2026-11-27 23:32:28.319952613 +0130",
    });
  });

  it("reads the other kinds, with size 0", () => {
    const kinds = { "41ed": "directory", a1ff: "link", "11a4": "other", "21b6": "other", c1ed: "other" };
    for (const [mode, kind] of Object.entries(kinds)) {
      const { size, ...info } = readEntryLine(`${mode} 0 0 1 2026-01-01 00:00:00 +0000|1:2 4096 x`);
      expect([info.kind, size]).toEqual([kind, 0]);
    }
  });

  it("parses the output of ls where there is no stat", () => {
    const old = readEntryLine("-rwsr-x--T 0 0 1 Feb 29 2024|77 12 Feb 29 2024");
    expect(old).toEqual({
      kind: "file",
      size: 12,
      modifiedMs: Date.UTC(2024, 1, 29),
      mode: 0o5750,
      version: "77 12 Feb 29 2024",
    });
    const { modifiedMs } = readEntryLine("drwxr-xr-x 0 0 2 Jan 1 00:00|78 4096 Jan 1 00:00");
    const age = Date.now() - modifiedMs;
    expect(age).toBeGreaterThan(-86_400_000);
    expect(age).toBeLessThan(367 * 86_400_000);
  });
});
