import { describe, expect, it } from "vitest";
import { memoryBench } from "../tool-bench.fixture.js";

interface NotFound {
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

async function refusal(file: string, oldText: string): Promise<{ readonly message: string; readonly differs: string }> {
  const bench = memoryBench({ "f.txt": file });
  const call: NotFound = await bench.call("edit", { path: "f.txt", edits: [{ oldText, newText: "NEW" }] });
  expect(call).toMatchObject({ code: "EDIT_NOT_FOUND" });
  const [nearest] = (call.details?.nearest ?? []) as readonly { readonly differs: string }[];
  return { message: call.message ?? "", differs: nearest?.differs ?? "" };
}

describe("the reason why a text was not found", () => {
  it.each([
    ["no-break space", "x a\u00a0b y\n", "a b", "character 4 is U+00A0 in the file, U+0020 in `oldText`"],
    ["narrow no-break space", "10:00\u202fAM\n", "10:00 AM", "character 6 is U+202F in the file, U+0020 in `oldText`"],
    ["curly quotes", "say “hi”\n", '"hi"', "character 5 is U+201C in the file, U+0022 in `oldText`"],
    ["curly quotes in `oldText`", 'say "hi"\n', "say “hi”", "character 5 is U+0022 in the file, U+201C in `oldText`"],
    ["composition", "re\u0301sume\u0301 v1\n", "résumé v1", "character 2 is U+0065 in the file, U+00E9 in `oldText`"],
    ["a zero-width space", "foo\u200bbar\n", "foobar", "character 4 is U+200B in the file, U+0062 in `oldText`"],
    ["the second line", "one two\nthree\u00a0four\n", "two\nthree four", "character 6 is U+00A0 in the file, U+0020"],
    ["a surrogate pair before it", "🙂 a\u00a0b\n", "a b", "character 4 is U+00A0 in the file"],
  ])("names code points and place of what cannot be seen: %s", async (_, file, oldText, reason) => {
    expect((await refusal(file, oldText)).differs).toContain(reason);
  });

  it.each([
    ["  hello\n    world\n", "hello\nworld", "on line 2, the indentation: 4 spaces in the file, none in `oldText`"],
    ["if a:\n\treturn\n", "if a:\n  return", "on line 2, the indentation: 1 tab in the file, 2 spaces in `oldText`"],
    ["some value here\n", "some value   ", "on line 1, whitespace inside the line"],
    ["call(one,  two)\n", "call(one,\ttwo)\nnext", "on line 1, whitespace inside the line"],
  ])("is the true one for whitespace: %j, %j", async (file, oldText, reason) => {
    expect((await refusal(file, oldText)).differs).toBe(reason);
  });

  it("distinguishes an escape from its character, both ways", async () => {
    expect((await refusal("one\ntwo\n", "one\\ntwo")).message).toBe(
      'Did not edit "f.txt": `oldText` was not found. It has an escape sequence, such as `\\n`, where the file has the character itself, such as a line break. Send the character.',
    );
    expect((await refusal('log("one\\ntwo");\n', "one\ntwo")).message).toBe(
      'Did not edit "f.txt": `oldText` was not found. The file has an escape sequence, such as `\\n`, where `oldText` has the character itself, such as a line break. Send both characters.',
    );
    expect((await refusal("one\ntwo\n", "one\\ttwo")).message).toBe('Did not edit "f.txt": `oldText` was not found.');
  });
});

it("reports that a file is binary instead of the nearest places", async () => {
  const bench = memoryBench({ "f.txt": Uint8Array.from([1, 0, 2, 0, 72, 105, 0, 0, 255]) });
  const edit = (oldText: string) => bench.call("edit", { path: "f.txt", edits: [{ oldText, newText: "x" }] });
  expect(await edit("Hello")).toMatchObject({
    code: "FS_NOT_TEXT",
    message:
      'Did not edit "f.txt": it is a binary file (9 bytes) and does not contain `oldText`. Change it with a command, for example a script that works on bytes, or regenerate it from its source.',
  });
});
