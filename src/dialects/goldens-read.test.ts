import { describe, expect } from "vitest";
import { verifies } from "../testing/verifies.fixture.js";
import {
  DIALECTS,
  expectGolden,
  failedWith,
  type Golden,
  readData,
  refused,
  said,
  seenBy,
  succeeded,
} from "./golden.fixture.js";

const GOLDENS: readonly Golden[] = [
  {
    ids: ["IR-058", "IR-059", "IR-060", "IR-062", "ZC-024", "BD-029"],
    situation: "plain",
    result: succeeded(readData("alpha\nbeta\n")),
    haft: "Showing lines 1–2 of 2.\n     1│alpha\n     2│beta",
    indusagi: "Showing lines 1–2 of 2\n     1│alpha\n     2│beta",
    zeroclaw: said("alpha\nbeta\n"),
    buddy: "alpha\nbeta\n",
  },
  {
    ids: ["IR-058", "IR-062"],
    situation: "cut by its limit",
    result: succeeded(readData("b\nc\n", { startLine: 2, endLine: 3, totalLines: 5, sizeBytes: 10, nextOffset: 4 })),
    haft: "Showing lines 2–3 of 5; continue with `offset` 4.\n     2│b\n     3│c",
    indusagi: "Showing lines 2–3 of 5 (2 more lines; continue with offset 4)\n     2│b\n     3│c",
    zeroclaw: said("b\nc\n"),
    buddy: "b\nc\n...[truncated]",
  },
  {
    ids: ["IR-060", "ZC-024", "BD-029"],
    situation: "empty",
    result: succeeded(readData("")),
    haft: '"a.txt" is empty (0 bytes).',
    indusagi: "Showing lines 0–0 of 0 (the file is empty)",
    zeroclaw: said(""),
    buddy: "",
  },
  {
    ids: ["IR-058"],
    situation: "past the end",
    result: succeeded(readData("", { totalLines: 5, sizeBytes: 10 })),
    haft: '"a.txt" has 5 lines; there are none at that offset. Use an `offset` from 1 to 5.',
    indusagi: "Showing lines 0–0 of 5 (the offset is past the end; the file has 5 lines)",
    zeroclaw: said(""),
    buddy: "",
  },
  {
    ids: ["ZC-023", "BD-003", "BD-031"],
    situation: "failed: not there",
    result: failedWith("FS_NOT_FOUND", 'Did not read "a.txt": no such file. Check the spelling.', {
      path: "a.txt",
    }),
    haft: 'Did not read "a.txt": no such file. Check the spelling.',
    indusagi: 'Did not read "a.txt": no such file. Check the spelling.',
    zeroclaw: refused("File not found: No such file or directory (os error 2)"),
    buddy: "execution failed: a.txt: No such file or directory (os error 2)",
  },
  {
    ids: ["IR-061", "ZC-023", "BD-031"],
    situation: "failed: a directory",
    result: failedWith("FS_NOT_A_FILE", 'Did not read "a.txt": it is a directory. Name a file in it.', {
      kind: "directory",
    }),
    haft: 'Did not read "a.txt": it is a directory. Name a file in it.',
    indusagi: 'Did not read "a.txt": it is a directory. Name a file in it.',
    zeroclaw: refused('Failed to read file: Did not read "a.txt": it is a directory. Name a file in it.'),
    buddy: 'execution failed: a.txt: Did not read "a.txt": it is a directory. Name a file in it.',
  },
  {
    ids: ["ZC-023", "BD-031"],
    situation: "failed: no permission",
    result: failedWith("FS_PERMISSION", 'Did not read "a.txt": permission denied. Choose another file.'),
    haft: 'Did not read "a.txt": permission denied. Choose another file.',
    indusagi: 'Did not read "a.txt": permission denied. Choose another file.',
    zeroclaw: refused("Failed to read file: Permission denied (os error 13)"),
    buddy: "execution failed: a.txt: Permission denied (os error 13)",
  },
  {
    ids: ["ZC-024", "BD-029"],
    situation: "not UTF-8",
    result: succeeded(readData("na\ufffdve\n", { encoding: "windows-1252", replaced: 1, sizeBytes: 6 })),
    haft: "Showing lines 1–1 of 1. Encoding: windows-1252. 1 character could not be decoded and are shown as U+FFFD.\n     1│na\ufffdve",
    indusagi: "Showing lines 1–1 of 1\n     1│na\ufffdve",
    zeroclaw: said("na\ufffdve\n"),
    buddy: "na\ufffdve\n",
  },
  {
    ids: ["IR-060", "ZC-024", "BD-029"],
    situation: "CRLF",
    result: succeeded(readData("k=v\r\nx=y\r\n")),
    haft: "Showing lines 1–2 of 2. Line endings: CRLF.\n     1│k=v\n     2│x=y",
    indusagi: "Showing lines 1–2 of 2\n     1│k=v\n     2│x=y",
    zeroclaw: said("k=v\r\nx=y\r\n"),
    buddy: "k=v\r\nx=y\r\n",
  },
  {
    ids: ["IR-060", "ZC-024", "BD-029"],
    situation: "no final newline",
    result: succeeded(readData("one\ntwo")),
    haft: "Showing lines 1–2 of 2.\n     1│one\n     2│two\n[no newline at end of file]",
    indusagi: "Showing lines 1–2 of 2\n     1│one\n     2│two",
    zeroclaw: said("one\ntwo"),
    buddy: "one\ntwo",
  },
  {
    ids: ["ZC-024"],
    situation: "a byte-order mark",
    result: succeeded(readData("param\n", { hasBom: true, sizeBytes: 9 })),
    haft: "Showing lines 1–1 of 1. A BOM (byte-order mark) is at the start (not shown).\n     1│param",
    indusagi: "Showing lines 1–1 of 1\n     1│param",
    zeroclaw: said("\ufeffparam\n"),
    buddy: "\ufeffparam\n",
  },
  {
    ids: ["IR-059"],
    situation: "control characters",
    result: succeeded(readData("a\x1b[31mred\x1b[0m\u202e\n")),
    haft: "Showing lines 1–1 of 1.\n     1│ared [10 control characters removed]",
    indusagi: "Showing lines 1–1 of 1\n     1│a\x1b[31mred\x1b[0m\u202e",
    zeroclaw: said("a\x1b[31mred\x1b[0m\u202e\n"),
    buddy: "a\x1b[31mred\x1b[0m\u202e\n",
  },
  {
    ids: ["BD-029"],
    situation: "one long line, clipped",
    result: succeeded(
      readData("x".repeat(10), { sizeBytes: 4_000_005, truncatedLines: [{ line: 1, bytes: 4_000_005 }], eol: "none" }),
    ),
    haft: "Showing lines 1–1 of 1.\n     1│xxxxxxxxxx… [truncated: 10 of 4000005 bytes]\n[rest of line 1: `sed -n 1p a.txt | cut -b 11-10010`]",
    indusagi: "Showing lines 1–1 of 1\n     1│xxxxxxxxxx",
    zeroclaw: said("xxxxxxxxxx"),
    buddy: "xxxxxxxxxx...[truncated]",
  },
  {
    ids: ["BD-029", "BD-087"],
    situation: "huge",
    result: succeeded(readData("é".repeat(9_000), { sizeBytes: 18_000 })),
    haft: `Showing lines 1–1 of 1.\n     1│${"é".repeat(9_000)}\n[no newline at end of file]`,
    indusagi: `Showing lines 1–1 of 1\n     1│${"é".repeat(9_000)}`,
    zeroclaw: said("é".repeat(9_000)),
    buddy: `${"é".repeat(8_000)}...[truncated]`,
  },
  {
    ids: ["ZC-023"],
    situation: "denied",
    result: failedWith("POLICY_DENIED", "Did not run `read`: outside the roots. Name a path inside.", {
      rule: "roots",
    }),
    haft: "Did not run `read`: outside the roots. Name a path inside.",
    indusagi: "Did not run `read`: outside the roots. Name a path inside.",
    zeroclaw: refused("Path not allowed by security policy: a.txt"),
    buddy: "execution failed: a.txt: Did not run `read`: outside the roots. Name a path inside.",
  },
  {
    ids: ["ZC-005", "BD-003", "IR-012"],
    situation: "a missing argument",
    result: failedWith("CALL_INVALID", "Did not run `read`: `path` is required (string).", {
      parameter: "path",
      missing: true,
      problem: "`path` is required (string)",
    }),
    args: {},
    haft: "Did not run `read`: `path` is required (string).",
    indusagi: "Did not run `read`: `path` is required (string).",
    zeroclaw: refused("Missing 'path' parameter"),
    buddy: "invalid arguments: missing field `path`",
  },
  {
    ids: ["IR-015"],
    situation: "cancelled before it began",
    result: failedWith("CALL_CANCELLED", "Cancelled before read could begin."),
    haft: "Cancelled before read could begin.",
    indusagi: "Cancelled before read could begin.",
    zeroclaw: refused("Failed to read file: Cancelled before read could begin."),
    buddy: "execution failed: a.txt: Cancelled before read could begin.",
  },
];

describe("one result of read in four dialects", () => {
  for (const golden of GOLDENS) {
    verifies(golden.ids, `${golden.situation} has each dialect's exact text`, () => {
      expectGolden("read", golden, { path: "a.txt" });
    });
  }

  verifies(
    ["ZC-002", "BD-005"],
    "an image is reported by type and size, and passed on where the host can show it",
    () => {
      const image = { kind: "image" as const, data: new Uint8Array(3), mime: "image/png" };
      const result = {
        ...succeeded(readData("", { kind: "image", mime: "image/png", sizeBytes: 3 })),
        content: [image],
      };
      const args = { path: "logo.png" };
      expect(seenBy(DIALECTS.haft, "read", result, args).envelope).toEqual([
        { kind: "text", text: '"logo.png": image/png, 3 bytes.' },
        image,
      ]);
      expect(seenBy(DIALECTS.zeroclaw, "read", result, args).envelope).toEqual({
        success: true,
        output: "[image/png, 3 bytes, not shown as text]",
        error: null,
      });
      expect(seenBy(DIALECTS.buddy, "read", result, args).envelope).toBe("[image/png, 3 bytes, not shown as text]");
    },
  );

  verifies("BD-029", "what is truncated is counted beside the truncation mark", () => {
    const result = succeeded(readData("é".repeat(9_000), { sizeBytes: 18_000 }));
    expect(seenBy(DIALECTS.buddy, "read", result, { path: "a.txt" }).cuts).toEqual([
      expect.objectContaining({ producedBytes: 18_000, keptBytes: 16_000 }),
    ]);
  });
});
