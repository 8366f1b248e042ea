import { describe, expect, it } from "vitest";
import { memoryBench, type ToolBench } from "../tool-bench.fixture.js";
import type { EditData } from "./contract.js";

const edit = (bench: ToolBench, oldText: string, newText: string) =>
  bench.call<EditData>("edit", { path: "f.txt", edits: [{ oldText, newText }] });

describe("line endings", () => {
  const diffOf = async (before: string, oldText: string, newText: string) => {
    const bench = memoryBench({ "f.txt": before });
    const { data, details } = await edit(bench, oldText, newText);
    return { diff: data?.diff, eolConverted: data?.eolConverted, notes: (details as { notes?: string[] })?.notes };
  };
  const SYMBOL_NOTE = "In the diff ␍ is a carriage return: a line ending in it ends in CRLF.";

  it("shows a change of line ending in the diff", async () => {
    expect(await diffOf("a\nb\n", "a\n", "a\r\n")).toEqual({
      diff: "@@ -1,2 +1,2 @@\n-a\n+a␍\n b\n",
      eolConverted: false,
      notes: [SYMBOL_NOTE],
    });
    expect((await diffOf("a\r\nb\r\n", "a\r\nb", "a\nb")).diff).toBe("@@ -1,2 +1,2 @@\n-a␍\n+a\n b␍\n");
    expect((await diffOf("a\r\nb\nc\n", "c", "c\r\nd")).diff).toBe("@@ -1,3 +1,4 @@\n a␍\n b\n-c\n+c␍\n+d\n");
  });

  it("shows no carriage return where all lines have the same ending", async () => {
    expect(await diffOf("a\r\nb", "a", "x\ny")).toEqual({
      diff: "@@ -1,2 +1,3 @@\n-a\n+x\n+y\n b\n\\ No newline at end of file\n",
      eolConverted: true,
      notes: undefined,
    });
    expect(await diffOf("a\nb\n", "a\r\n", "x\r\n")).toMatchObject({ eolConverted: true, notes: undefined });
  });

  it("shows the lines of a file with lone carriage returns apart", async () => {
    const { diff } = await diffOf("a\rb\rc\r", "b", "x\ny");
    expect(diff).toContain("-a␍b␍c␍\n");
    expect(diff).toContain("+a␍x␍y␍c␍\n");
  });

  it("lists both lines of a text that occurs twice with different endings, and reports what decides", async () => {
    const bench = memoryBench({ "f.txt": "x\ny\nmid\nx\r\ny\r\n" });
    expect(await edit(bench, "x\ny", "X\nY")).toMatchObject({
      code: "EDIT_AMBIGUOUS",
      message:
        'Did not edit "f.txt": `oldText` occurs 2 times, on lines 1, 4. Add surrounding lines until it is unique, or set `replaceAll`. The file has mixed line endings, and a line feed in `oldText` matches all of them; `\\r\\n` matches CRLF only.',
    });
    const { details } = await edit(bench, "x\r\ny", "X\r\nY");
    expect((details as { notes: string[] }).notes).toEqual([
      "The file has mixed line endings; `oldText` was matched with exactly its own line endings.",
      SYMBOL_NOTE,
    ]);
    expect(await bench.bytes("f.txt")).toBe("x\ny\nmid\nX\r\nY\r\n");
  });

  it("are those that `write` is given", async () => {
    const bench = memoryBench({ "f.txt": "a\nb\n" });
    await bench.call("read", { path: "f.txt" });
    await bench.call("write", { path: "f.txt", content: "a\r\nb\n" });
    expect(await bench.bytes("f.txt")).toBe("a\r\nb\n");
  });
});
