import { describe, expect, it } from "vitest";
import { jsonRecords, type PathRecord, pathRecords, type RipgrepRecord, UnreadablePaths } from "./output.js";

/** The text in chunks of `size` bytes, so that every seam is met. */
async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer, void> {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

async function recordsOf(text: string, size: number, maxMatches = 100): Promise<RipgrepRecord[]> {
  const records: RipgrepRecord[] = [];
  for await (const record of jsonRecords(chunksOf(text, size), maxMatches)) records.push(record);
  return records;
}

function matchRecord(line: string, matches: readonly (readonly [number, number])[]): string {
  const submatches = matches.map(([start, end]) => ({ match: { text: line.slice(start, end) }, start, end }));
  const data = { path: { text: "./a" }, lines: { text: line }, line_number: 7, absolute_offset: 42, submatches };
  return `${JSON.stringify({ type: "match", data })}\n`;
}

describe("jsonRecords", () => {
  it("gives whole records, however the chunks are cut", async () => {
    const text = `${matchRecord('x "y" \\\\', [[0, 1]])}{"type":"end","data":{"binary_offset":null}}\n`;
    for (const size of [1, 3, 64, 10_000]) {
      const [match, end] = await recordsOf(text, size);
      expect(match).toMatchObject({ type: "match", data: { line_number: 7, submatches: [{ start: 0, end: 1 }] } });
      expect(end).toEqual({ type: "end", data: { binary_offset: null } });
    }
  });

  it("leaves long strings out of a long record, whatever signs they hold", async () => {
    const line = `${'\\"'.repeat(100_000)}NEEDLE${"\\".repeat(200_001)}`;
    for (const size of [65_536, 65_537, 999]) {
      const [match, ...rest] = await recordsOf(
        `${matchRecord(line, [
          [200_000, 200_006],
          [0, 200_000],
        ])}{"type":"x"}\n`,
        size,
      );
      expect(match).toMatchObject({
        data: {
          path: { text: "./a" },
          lines: { text: "" },
          absolute_offset: 42,
          submatches: [
            { match: { text: "NEEDLE" }, start: 200_000 },
            { match: { text: "" }, end: 200_000 },
          ],
        },
      });
      expect(rest).toEqual([{ type: "x" }]);
    }
  });

  it("keeps the first of very many matches in one line", async () => {
    const line = "a,".repeat(200_000);
    const matches = Array.from({ length: 200_000 }, (_, index) => [index * 2, index * 2 + 1] as const);
    const [match] = await recordsOf(matchRecord(line, matches), 65_536, 500);
    const reported = (match as unknown as { data: { submatches: { start: number }[] } }).data.submatches;
    expect(reported.length).toBeGreaterThanOrEqual(500);
    expect(reported.length).toBeLessThan(20_000);
    expect(reported.map(({ start }) => start)).toEqual(reported.map((_, index) => index * 2));
  });

  it("ends at what is no record", async () => {
    expect(await recordsOf('{"type":"x"}\noh no\n{"type":"y"}\n', 5)).toEqual([{ type: "x" }]);
  });
});

describe("pathRecords", () => {
  async function pathsOf(text: string, size: number, hasCounts: boolean): Promise<PathRecord[]> {
    const records: PathRecord[] = [];
    for await (const record of pathRecords(chunksOf(text, size), hasCounts)) records.push(record);
    return records;
  }
  const summary = "\n3 matches\n2 files contained matches\n9 files searched\n0 bytes printed\n";

  it("gives paths with their counts, with any sign in their names, and the summary", async () => {
    for (const size of [1, 7, 1_000]) {
      expect(await pathsOf(`./a\n3:x\0${2}\n./b\xff\0${1}\n${summary}`, size, true)).toEqual([
        { kind: "file", path: { text: "./a\n3:x" }, count: 2 },
        { kind: "file", path: { bytes: Buffer.from("./b\xff", "latin1").toString("base64") }, count: 1 },
        { kind: "summary", searches: 9 },
      ]);
      expect(await pathsOf(`./a\0./b c\0${summary}`, size, false)).toMatchObject([
        { path: { text: "./a" } },
        { path: { text: "./b c" } },
        { kind: "summary" },
      ]);
    }
  });

  it("gives no summary of a run that broke off", async () => {
    expect(await pathsOf("./a\0", 10, true)).toEqual([]);
  });
});

describe("UnreadablePaths", () => {
  it("names what could not be read and passes over the rest", () => {
    const paths: string[] = [];
    const unreadable = new UnreadablePaths((path) => paths.push(path));
    const text = [
      `rg: ./${"long".repeat(20_000)}: Permission denied (os error 13)`,
      "rg: ./lock: ed: Permission denied (os error 13)",
      "rg: ./gone: No such file or directory (os error 2)",
      `./${"older".repeat(20_000)}: Permission denied (os error 13)`,
      "./locked: Permission denied (os error 13)",
      "",
    ].join("\n");
    for (let at = 0; at < text.length; at += 11) unreadable.push(Buffer.from(text.slice(at, at + 11)));
    expect(paths).toEqual(["./lock: ed", "./locked"]);
  });
});
