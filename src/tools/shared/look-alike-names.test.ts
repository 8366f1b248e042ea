import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { memoryBench, toolBench } from "../tool-bench.fixture.js";

const SHOT = "Screenshot 10.00.00\u202fAM.png.txt";
const TYPED = "Screenshot 10.00.00 AM.png.txt";

/** The name that the answer spells as a JSON string. */
const named = (message = "") => JSON.parse(/JSON string ("[^"]*(?:\\"[^"]*)*")/.exec(message)?.[1] ?? '""') as string;

describe("a name that differs from one that exists only in characters that look alike", () => {
  it("is answered with the code point, its place and a spelling that works", async () => {
    const bench = memoryBench({ [SHOT]: "hello\n" });
    const { code, message } = await bench.call("read", { path: TYPED });
    expect({ code, message }).toEqual({
      code: "FS_NOT_FOUND",
      message: `Did not read "${TYPED}": no such file. A path that looks the same exists: character 20 of its name is U+202F, not U+0020. Send the path as the JSON string "Screenshot 10.00.00\\u202fAM.png.txt".`,
    });
    expect(await bench.call("read", { path: named(message) })).toMatchObject({ data: { text: "hello\n" } });
  });

  it.each([
    ["a no-break space", "a\u00a0b.txt", "a b.txt", "character 2 of its name is U+00A0, not U+0020"],
    ["a decomposed accent", "cafe\u0301.txt", "café.txt", "character 4 of its name is U+0065, not U+00E9"],
    ["a composed accent", "café.txt", "cafe\u0301.txt", "character 4 of its name is U+00E9, not U+0065"],
    ["a curly quote", "Bob’s.txt", "Bob's.txt", "character 4 of its name is U+2019, not U+0027"],
    ["a zero-width space", "a.txt\u200b", "a.txt", "character 6 of its name is U+200B, not the end"],
  ])("is reported with %s, wherever it occurs", async (_, there, typed, difference) => {
    const bench = memoryBench({ [`sub/${there}`]: "x\n", [`${there}/in.txt`]: "x\n" });
    const calls = [
      ["read", { path: `sub/${typed}` }, `sub/${there}`],
      ["ls", { path: `${typed}/` }, there],
      ["grep", { path: `./${typed}`, pattern: "x" }, `./${there}`],
      ["find", { path: typed, query: "in*" }, there],
      ["delete", { path: `sub/${typed}` }, `sub/${there}`],
      ["move", { from: `sub/${typed}`, to: "z.txt" }, `sub/${there}`],
    ] as const;
    for (const [tool, input, path] of calls) {
      const { code, message } = await bench.call(tool, input);
      expect([tool, code, message]).toEqual([tool, "FS_NOT_FOUND", expect.stringContaining(difference)]);
      expect([tool, named(message)]).toEqual([tool, path]);
    }
  });

  it.each([
    [SHOT, TYPED],
    ["cafe\u0301.txt", "café.txt"],
    ["Bob’s.txt", "Bob's.txt"],
  ])("is neither edited nor made anew: %j for %j", async (there, typed) => {
    const bench = memoryBench({ [`sub/${there}`]: "x\n" });
    const path = `sub/${typed}`;
    const edit = await bench.call("edit", { path, edits: [{ oldText: "x", newText: "y" }] });
    const write = await bench.call("write", { path, content: "y" });
    for (const [verb, { code, message }] of [
      ["edit", edit],
      ["write", write],
    ] as const) {
      expect([code, named(message)]).toEqual(["FS_NOT_FOUND", `sub/${there}`]);
      expect(message).toMatch(new RegExp(`^Did not ${verb} .*character \\d+ of its name is U\\+`));
    }
    expect((await bench.call("ls", { path: "sub" })).data).toMatchObject({ total: 1 });
    expect(
      await bench.call("edit", { path: named(edit.message), edits: [{ oldText: "x", newText: "y" }] }),
    ).toMatchObject({
      isError: false,
    });
  });

  it("names all of several that look alike, and takes the one that is exactly meant", async () => {
    const bench = memoryBench({ "a\u00a0b": "1", "a\u202fb": "2" });
    const { message } = await bench.call("read", { path: "a b" });
    expect(message).toContain('the JSON string "a\\u00a0b" or "a\\u202fb".');
    expect(await bench.call("read", { path: "a\u202fb" })).toMatchObject({ data: { text: "2" } });
  });

  it("is written where only a visible character differs", async () => {
    const bench = memoryBench({ "Report 1–2.txt": "x" });
    expect(await bench.call("write", { path: "Report 1-2.txt", content: "y" })).toMatchObject({ isError: false });
  });

  it("is never opened in place of the name that was judged", async () => {
    const bench = toolBench({ backend: createMemoryBackend({ files: { [SHOT]: "secret\n" } }) });
    expect(JSON.stringify(await bench.call("read", { path: TYPED }))).not.toContain("secret");
  });
});
