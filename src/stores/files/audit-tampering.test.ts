/** Every change of a real audit log is found, and named with its file and line. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fc, runCount } from "../../testing/property.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { fileAudit } from "./file-audit.js";
import { type AuditProblem, readAudit } from "./read-audit.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

const CALLS = 12;
/** Each writes and reads the log. */
const RUNS = { numRuns: runCount(250) };
let state: StateDirectory;
let file: string;
let path: string;
let bytes: Buffer;
/** Without their line breaks. */
let lines: string[];

beforeAll(async () => {
  state = openStateDirectory(realpathSync(mkdtempSync(join(tmpdir(), "haft-tampering-"))));
  const audit = fileAudit(state, { now: () => Date.UTC(2026, 0, 1) });
  for (let call = 0; call < CALLS; call++) {
    const input = JSON.stringify({ path: `é${call}` });
    const about = { callId: `c${call}`, sessionId: "s", tool: "read", backend: "local", workspace: "/w" };
    const id = await audit.begin({ ...about, inputDigest: "", input });
    await audit.end(id, { status: "ok", rule: "allow-all", effect: "allow", approver: null, tookMs: 1 });
  }
  audit.close();
  [file = ""] = readdirSync(join(state.path, "audit")).filter((name) => name.endsWith(".jsonl"));
  path = join(state.path, "audit", file);
  bytes = readFileSync(path);
  lines = bytes.toString().trimEnd().split("\n");
});
afterAll(() => rmSync(state.path, { recursive: true, force: true }));

function problemsOf(changed: Uint8Array | readonly string[]): readonly AuditProblem[] {
  writeFileSync(path, changed instanceof Uint8Array ? changed : changed.map((line) => `${line}\n`).join(""));
  return readAudit(state).problems;
}

describe("the audit log", () => {
  it("is intact as it was written", () => {
    expect(problemsOf(bytes)).toEqual([]);
    expect(lines).toHaveLength(1 + 2 * CALLS);
  });

  verifies("ZC-099", "with one byte changed is broken at the line of this byte, or after it for a line break", () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ difference;
        const line = bytes.subarray(0, at).toString().split("\n").length;
        expect(problemsOf(changed)).toMatchObject([
          { file, line: expect.toSatisfy((one) => one === line || one === line + 1) },
        ]);
      }),
      RUNS,
    );
  });

  it("with two lines swapped is broken at the first of them", () => {
    const index = fc.nat(2 * CALLS);
    fc.assert(
      fc.property(index, index, (one, two) => {
        fc.pre(one !== two);
        const changed = [...lines];
        [changed[one], changed[two]] = [lines[two]!, lines[one]!];
        expect(problemsOf(changed)).toMatchObject([
          { file, line: expect.toSatisfy((line) => [1, 2].includes(line - Math.min(one, two))) },
        ]);
      }),
      RUNS,
    );
  });

  it("without any one line is broken where it was, at its end too", () => {
    for (let dropped = 0; dropped < lines.length; dropped++) {
      const [problem, ...more] = problemsOf(lines.filter((_, index) => index !== dropped));
      expect(more).toEqual([]);
      if (dropped === lines.length - 1) expect(problem).toEqual({ file, why: "lines are missing at its end" });
      else expect(problem).toMatchObject({ file, line: dropped + 1 });
    }
  });

  it("with another head is not intact, unless a power failure truncated it", () => {
    const headPath = path.replace(/jsonl$/, "head");
    const head = readFileSync(headPath, "utf8");
    const problemsWith = (changed: string) => {
      writeFileSync(headPath, changed);
      return problemsOf(lines.slice(0, -1));
    };
    const why = `it does not have the sequence number and hash of a line, so lines may be missing at the end of ${file}`;
    const damaged = [{ file: file.replace(/jsonl$/, "head"), why }];
    for (const junk of [
      "junk",
      " ",
      "\n",
      "-1",
      `${head}\n`,
      head.trimEnd().toUpperCase(),
      `${head.slice(0, 20)}\n`,
      "\0x",
    ])
      expect([junk, problemsWith(junk)]).toEqual([junk, damaged]);
    const truncated = ["\0".repeat(head.length), ...Array.from(head, (_, length) => head.slice(0, length))];
    for (const rest of truncated) expect([rest, problemsWith(rest)]).toEqual([rest, []]);
    expect(problemsWith(head)).toEqual([{ file, why: "lines are missing at its end" }]);
  });

  it("that ends anywhere before its end is broken", () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 2), (length) => {
        expect(problemsOf(bytes.subarray(0, length))).toMatchObject([{ file }]);
      }),
      RUNS,
    );
  });

  it("with a line repeated or a foreign one in it is broken there", () => {
    fc.assert(
      fc.property(fc.nat(2 * CALLS), fc.nat(2 * CALLS), (from, to) => {
        // A copy before its original is in order, and the original is not.
        const line = from === to + 1 ? to + 3 : to + 2;
        expect(problemsOf(lines.toSpliced(to + 1, 0, lines[from]!))).toMatchObject([{ file, line }]);
      }),
      RUNS,
    );
  });
});
