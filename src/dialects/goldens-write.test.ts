import { describe } from "vitest";
import { verifies } from "../testing/verifies.fixture.js";
import {
  expectGolden,
  failedWith,
  type Golden,
  HASH_B,
  refused,
  said,
  succeeded,
  writeData,
} from "./golden.fixture.js";

const NO_PARENT = 'Did not write "x/y.txt": its directory does not exist. Make it first.';
const SHORT_A = "aaaaaaaaaaaa";
const SHORT_B = "bbbbbbbbbbbb";

const GOLDENS: readonly Golden[] = [
  {
    ids: ["IR-068", "ZC-028", "BD-032"],
    situation: "created",
    result: succeeded(writeData()),
    haft: `Created "a.txt": 6 bytes, sha256 ${SHORT_A}.`,
    indusagi: "Saved 6 bytes to a.txt.",
    zeroclaw: said("Wrote 6 bytes to a.txt"),
    buddy: "Wrote 6 bytes to a.txt",
  },
  {
    ids: ["IR-068", "ZC-028", "BD-032"],
    situation: "replaced",
    result: succeeded(writeData({ created: false, beforeHash: HASH_B })),
    haft: `Replaced "a.txt": 6 bytes, sha256 ${SHORT_A} (was ${SHORT_B}).`,
    indusagi: "Saved 6 bytes to a.txt.",
    zeroclaw: said("Wrote 6 bytes to a.txt"),
    buddy: "Wrote 6 bytes to a.txt",
  },
  {
    ids: ["IR-068", "ZC-028", "BD-032"],
    situation: "one byte",
    result: succeeded(writeData({ bytes: 1 })),
    haft: `Created "a.txt": 1 byte, sha256 ${SHORT_A}.`,
    indusagi: "Saved 1 byte to a.txt.",
    zeroclaw: said("Wrote 1 bytes to a.txt"),
    buddy: "Wrote 1 bytes to a.txt",
  },
  {
    ids: ["IR-066", "IR-068", "ZC-028", "BD-032"],
    situation: "empty",
    result: succeeded(writeData({ bytes: 0 })),
    haft: `Created "a.txt": 0 bytes, sha256 ${SHORT_A}.`,
    indusagi: "Saved 0 bytes to a.txt.",
    zeroclaw: said("Wrote 0 bytes to a.txt"),
    buddy: "Wrote 0 bytes to a.txt",
  },
  {
    ids: ["IR-068", "IP-010", "ZC-028", "BD-032"],
    situation: "a path spelled by the model",
    result: succeeded(writeData({ path: "/w/nope" })),
    args: { path: "./nope", content: "text" },
    haft: `Created "./nope": 6 bytes, sha256 ${SHORT_A}.`,
    indusagi: "Saved 6 bytes to ./nope.",
    zeroclaw: said("Wrote 6 bytes to ./nope"),
    buddy: "Wrote 6 bytes to ./nope",
  },
  {
    ids: ["IR-068", "ZC-028", "BD-032"],
    situation: "CRLF and a mark that were not carried over",
    result: succeeded(
      writeData({ created: false, beforeHash: HASH_B, differs: ["byte-order mark", "CRLF line endings"] }),
    ),
    haft: `Replaced "a.txt": 6 bytes, sha256 ${SHORT_A} (was ${SHORT_B}). Not carried over from the old file: byte-order mark, CRLF line endings.`,
    indusagi: "Saved 6 bytes to a.txt.",
    zeroclaw: said("Wrote 6 bytes to a.txt"),
    buddy: "Wrote 6 bytes to a.txt",
  },
  {
    ids: ["IR-068", "ZC-028", "BD-032"],
    situation: "in place",
    result: succeeded(writeData({ created: false, inPlace: true })),
    haft: `Replaced "a.txt": 6 bytes, sha256 ${SHORT_A}. Written in place to preserve hard links, owner and attributes.`,
    indusagi: "Saved 6 bytes to a.txt.",
    zeroclaw: said("Wrote 6 bytes to a.txt"),
    buddy: "Wrote 6 bytes to a.txt",
  },
  {
    ids: ["IR-069", "IR-129"],
    situation: "failed: never read",
    result: failedWith("FS_NOT_READ", 'Did not write "a.txt": this session has not read it.', {
      path: "a.txt",
      sizeBytes: 10,
      modifiedMs: 1_700_000_000_000,
      sha256: HASH_B,
    }),
    haft: `Did not write "a.txt": this session has not read it.\nThe file: 10 bytes, modified 2023-11-14T22:13:20Z, sha256 ${HASH_B}.\nRead it first, then repeat the call. Or pass that hash as \`expect\` to replace it without reading it.`,
    indusagi: "File has not been read yet. Read it first before writing to it.",
    zeroclaw: refused('Failed to write file: Did not write "a.txt": this session has not read it.'),
    buddy: 'execution failed: a.txt: Did not write "a.txt": this session has not read it.',
  },
  {
    ids: ["IR-130"],
    situation: "failed: changed since it was read",
    result: failedWith("FS_STALE", 'Did not write "a.txt": it has changed since it was read. Read it again.'),
    haft: 'Did not write "a.txt": it has changed since it was read. Read it again.',
    indusagi:
      "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.",
    zeroclaw: refused('Failed to write file: Did not write "a.txt": it has changed since it was read. Read it again.'),
    buddy: 'execution failed: a.txt: Did not write "a.txt": it has changed since it was read. Read it again.',
  },
  {
    ids: ["BD-003", "ZC-028"],
    situation: "failed: no such directory",
    result: failedWith("FS_NOT_FOUND", NO_PARENT),
    args: { path: "x/y.txt", content: "" },
    haft: NO_PARENT,
    indusagi: NO_PARENT,
    zeroclaw: refused("Failed to write file: No such file or directory (os error 2)"),
    buddy: "execution failed: x/y.txt: No such file or directory (os error 2)",
  },
  {
    ids: ["ZC-028", "BD-003"],
    situation: "failed: no space",
    result: failedWith("FS_NO_SPACE", 'Did not write "a.txt": the disk is full. Free some space.'),
    haft: 'Did not write "a.txt": the disk is full. Free some space.',
    indusagi: 'Did not write "a.txt": the disk is full. Free some space.',
    zeroclaw: refused("Failed to write file: No space left on device (os error 28)"),
    buddy: "execution failed: a.txt: No space left on device (os error 28)",
  },
  {
    ids: ["ZC-028", "BD-003"],
    situation: "denied",
    result: failedWith("POLICY_DENIED", "Did not run `write`: outside the roots. Name a path inside.", {
      rule: "roots",
    }),
    haft: "Did not run `write`: outside the roots. Name a path inside.",
    indusagi: "Did not run `write`: outside the roots. Name a path inside.",
    zeroclaw: refused("Path not allowed: a.txt"),
    buddy: "execution failed: a.txt: Did not run `write`: outside the roots. Name a path inside.",
  },
  {
    ids: ["ZC-005", "BD-003"],
    situation: "a missing argument",
    result: failedWith("CALL_INVALID", "Did not run `write`: `content` is required (string).", {
      parameter: "content",
      missing: true,
      problem: "`content` is required (string)",
    }),
    args: { path: "a.txt" },
    haft: "Did not run `write`: `content` is required (string).",
    indusagi: "Did not run `write`: `content` is required (string).",
    zeroclaw: refused("Missing 'content' parameter"),
    buddy: "invalid arguments: missing field `content`",
  },
  {
    ids: ["BD-003"],
    situation: "an argument of a wrong type",
    result: failedWith(
      "CALL_INVALID",
      'Did not run `write`: `content` must be a string, not the object {"port":8080}.',
      {
        parameter: "content",
        problem: '`content` must be a string, not the object {"port":8080}',
      },
    ),
    haft: 'Did not run `write`: `content` must be a string, not the object {"port":8080}.',
    indusagi: 'Did not run `write`: `content` must be a string, not the object {"port":8080}.',
    zeroclaw: refused('Did not run `write`: `content` must be a string, not the object {"port":8080}.'),
    buddy: 'invalid arguments: `content` must be a string, not the object {"port":8080}',
  },
];

describe("one result of write in four dialects", () => {
  for (const golden of GOLDENS) {
    verifies(golden.ids, `${golden.situation} has each dialect's exact text`, () => {
      expectGolden("write", golden, { path: "a.txt", content: "text\n" });
    });
  }
});
