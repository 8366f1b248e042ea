import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAIN_START, readAuditChain } from "./audit-chain.js";
import { fileAudit } from "./file-audit.js";
import { readAudit } from "./read-audit.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-audit-")));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const call = {
  callId: "c1",
  sessionId: "s",
  tool: "bash",
  backend: "local",
  workspace: "/w",
  inputDigest: "d",
  input: "{}",
};
const files = (end: string): string[] => readdirSync(join(state.path, "audit")).filter((name) => name.endsWith(end));
/** Until the head of what was written has followed. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const text = (name: string): string => readFileSync(join(state.path, "audit", name), "utf8");

describe("the audit record by files", () => {
  it("makes nothing before the first entry, and has it on disk before the promise resolves", async () => {
    const audit = fileAudit(state);
    expect(readdirSync(state.path)).toEqual([]);
    const id = await audit.begin(call);
    const [name = ""] = files(".jsonl");
    expect(statSync(join(state.path, "audit", name)).mode & 0o777).toBe(0o600);
    await audit.end(id, { status: "ok", tookMs: 3 });
    audit.close();
    const { records, broken } = readAuditChain(text(name), CHAIN_START);
    expect(broken).toBeUndefined();
    expect(records).toMatchObject([
      { kind: "head", sequence: 0, pid: process.pid },
      { kind: "begin", sequence: 1, tool: "bash", callId: "c1" },
      { kind: "end", sequence: 2, begin: id, status: "ok" },
    ]);
  });

  it("notices a line that was changed, omitted or put elsewhere", async () => {
    const audit = fileAudit(state);
    for (const callId of ["c1", "c2", "c3"]) await audit.begin({ ...call, callId });
    audit.close();
    const whole = text(files(".jsonl")[0] ?? "");
    const lines = whole.trimEnd().split("\n");
    const broken = (changed: readonly string[]): number | undefined => readAuditChain(changed.join("\n")).broken?.line;
    expect(readAuditChain(whole).broken).toBeUndefined();
    expect(broken(lines.map((line) => line.replace('"c2"', '"c9"')))).toBe(3);
    expect(broken(lines.filter((line) => !line.includes('"c2"')))).toBe(3);
    expect(broken([lines[0] ?? "", lines[2] ?? "", lines[1] ?? ""])).toBe(2);
    expect(broken([...lines, "{}"])).toBe(5);
  });

  it("keeps the last sequence number and hash beside it, so that missing lines at the end are noticed", async () => {
    const audit = fileAudit(state);
    await audit.begin(call);
    await audit.begin(call);
    audit.close();
    const { hash } = readAuditChain(text(files(".jsonl")[0] ?? ""));
    expect(text(files(".head")[0] ?? "")).toBe(`000000000002 ${hash}\n`);
  });

  it("starts a file a day and continues with the same chain", async () => {
    let nowMs = Date.UTC(2031, 4, 1, 23, 59);
    const audit = fileAudit(state, { now: () => nowMs });
    const id = await audit.begin(call);
    nowMs += 120_000;
    await audit.end(id, { status: "ok", tookMs: 120_000 });
    audit.close();
    const [first = "", second = ""] = files(".jsonl").sort();
    expect([first.slice(0, 10), second.slice(0, 10)]).toEqual(["2031-05-01", "2031-05-02"]);
    const before = readAuditChain(text(first), CHAIN_START);
    const after = readAuditChain(text(second), before.hash);
    expect(after.broken).toBeUndefined();
    expect(after.records.map((record) => record.sequence)).toEqual([2, 3]);
  });

  it("continues in the file of the later day when the clock is set back over midnight", async () => {
    let nowMs = Date.UTC(2031, 4, 1, 23, 59);
    const audit = fileAudit(state, { now: () => nowMs });
    for (const stepMs of [0, 120_000, -120_000, 120_000, 24 * 3_600_000, -24 * 3_600_000]) {
      nowMs += stepMs;
      await audit.end(await audit.begin(call), { status: "ok", tookMs: 1 });
    }
    audit.close();
    const days = files(".jsonl").map((name) => name.slice(0, 10));
    expect(days.sort()).toEqual(["2031-05-01", "2031-05-02", "2031-05-03"]);
    expect(readAudit(state)).toMatchObject({
      calls: Array.from({ length: 6 }, () => ({ status: "ok" })),
      problems: [],
    });
  });

  it("is not called changed where only its head was cut off", async () => {
    const audit = fileAudit(state);
    await audit.begin(call);
    audit.close();
    const [head = ""] = files(".head");
    const whole = text(head);
    for (const cut of ["", whole.slice(0, 5), whole.slice(0, 30), whole.slice(0, -2), "\0".repeat(78)]) {
      writeFileSync(join(state.path, "audit", head), cut);
      expect(readAudit(state).problems).toEqual([]);
    }
    writeFileSync(
      join(state.path, "audit", head),
      whole.replace(/.\n$/, (end) => (end[0] === "0" ? "1\n" : "0\n")),
    );
    expect(readAudit(state).problems).toMatchObject([{ why: "its last line was changed" }]);
  });

  it("refuses an entry that it cannot keep", async () => {
    writeFileSync(join(state.path, "audit"), "in the way");
    const audit = fileAudit(state);
    expect(() => audit.begin(call)).toThrow(expect.objectContaining({ code: "STORE_UNWRITABLE" }));
    rmSync(join(state.path, "audit"));
    await audit.begin(call);
    expect(readAuditChain(text(files(".jsonl")[0] ?? ""), CHAIN_START).broken).toBeUndefined();
    audit.close();
  });

  it.each(["audit", "."])(
    "continues in a new file after its file was removed with %s, and reports what was lost",
    async (gone) => {
      const audit = fileAudit(state);
      const lost = await audit.begin(call);
      await turn();
      rmSync(join(state.path, gone), { recursive: true });
      await audit.end(lost, { status: "ok", tookMs: 1 });
      const id = await audit.begin({ ...call, callId: "c2" });
      await turn();
      rmSync(join(state.path, gone), { recursive: true });
      const last = await audit.begin({ ...call, callId: "c3" });
      await audit.end(last, { status: "ok", tookMs: 1 });
      audit.close();
      const { calls, problems } = readAudit(state);
      expect(calls).toMatchObject([{ id: last, status: "ok" }]);
      expect(calls.map((one) => one.id)).not.toContain(id);
      const [name = ""] = files(".jsonl");
      expect(problems).toEqual([
        { file: name, line: 1, why: "4 lines before it were removed while their process ran" },
      ]);
      expect(readAuditChain(text(name)).records.map(({ kind, sequence }) => [kind, sequence])).toEqual([
        ["head", 3],
        ["begin", 4],
        ["end", 5],
      ]);
    },
  );

  it("writes the lines of a turn again whose file was removed in it", async () => {
    const audit = fileAudit(state);
    const id = await audit.begin(call);
    rmSync(join(state.path, "audit"), { recursive: true });
    await audit.end(id, { status: "ok", tookMs: 1 });
    await turn();
    expect(readAudit(state)).toMatchObject({ calls: [{ id, status: "ok" }], problems: [] });
    rmSync(join(state.path, "audit"), { recursive: true });
    const ids = [];
    for (let index = 0; index < 200; index++) ids.push(audit.begin({ ...call, callId: `n${index}` }));
    expect(readAudit(state).calls.length).toBeGreaterThan(100);
    audit.close();
    const { calls, problems } = readAudit(state);
    expect(calls.map((one) => one.id)).toEqual(ids);
    expect(problems).toMatchObject([{ why: "3 lines before it were removed while their process ran" }]);
  });

  it.each([
    ["a directory", (path: string) => mkdirSync(path)],
    ["a symlink", (path: string) => symlinkSync("/dev/null", path)],
  ])("rejects entries while %s is in the place of the log", async (_, replace) => {
    const audit = fileAudit(state);
    await audit.begin(call);
    await turn();
    const path = join(state.path, "audit", files(".jsonl")[0] ?? "");
    rmSync(path);
    replace(path);
    audit.begin(call);
    await turn();
    expect(() => audit.begin(call)).toThrow(expect.objectContaining({ code: "STORE_UNWRITABLE" }));
    rmSync(path, { recursive: true });
    const id = await audit.begin(call);
    audit.close();
    expect(readAudit(state).calls.at(-1)).toMatchObject({ id });
  });

  it("rejects entries while a removed log cannot be recreated, and still reports what was lost", async () => {
    const audit = fileAudit(state);
    await audit.begin(call);
    await turn();
    rmSync(join(state.path, "audit"), { recursive: true });
    writeFileSync(join(state.path, "audit"), "in the way");
    const unseen = audit.begin(call);
    await turn();
    for (let times = 0; times < 2; times++)
      expect(() => audit.begin(call)).toThrow(expect.objectContaining({ code: "STORE_UNWRITABLE" }));
    rmSync(join(state.path, "audit"));
    const id = await audit.begin(call);
    audit.close();
    expect(readAudit(state)).toMatchObject({
      calls: [{ id: unseen }, { id }],
      problems: [{ line: 1, why: "2 lines before it were removed while their process ran" }],
    });
  });

  it("says nothing of a file that was removed once its day was over, whether closed meanwhile or not", async () => {
    let nowMs = Date.UTC(2031, 4, 1, 12);
    const audit = fileAudit(state, { now: () => nowMs });
    for (const isClosed of [false, true]) {
      audit.begin(call);
      if (isClosed) audit.close();
      await turn();
      rmSync(join(state.path, "audit"), { recursive: true });
      nowMs += 24 * 60 * 60 * 1000;
      const id = audit.begin(call);
      expect(readAudit(state)).toMatchObject({ calls: [{ id }], problems: [] });
    }
    audit.close();
    expect(text(files(".jsonl")[0] ?? "")).not.toContain("removedLines");
  });

  it("counts only the lines of the day whose file was removed", async () => {
    let nowMs = Date.UTC(2031, 4, 1, 12);
    const audit = fileAudit(state, { now: () => nowMs });
    const remove = () => rmSync(join(state.path, "audit"), { recursive: true });
    for (const callId of ["c1", "c2"]) audit.begin({ ...call, callId });
    await turn();
    remove();
    audit.begin(call);
    await turn();
    expect(readAudit(state).problems).toMatchObject([{ why: expect.stringMatching(/^3 lines /) }]);
    nowMs += 24 * 60 * 60 * 1000;
    audit.begin(call);
    await turn();
    remove();
    audit.begin(call);
    audit.close();
    expect(readAudit(state).problems).toMatchObject([{ why: expect.stringMatching(/^2 lines /) }]);
  });

  it.each([
    ["before it was closed and opened again", 5],
    ["while it was closed", 2],
  ])("counts all lines of a removed file, also those written %s", async (_, count) => {
    const audit = fileAudit(state);
    audit.begin(call);
    audit.close();
    if (count === 5) for (const callId of ["c2", "c3"]) audit.begin({ ...call, callId });
    expect(readAudit(state).problems).toEqual([]);
    await turn();
    rmSync(join(state.path, "audit"), { recursive: true });
    const id = audit.begin(call);
    audit.close();
    const why = `${count} lines before it were removed while their process ran`;
    expect(readAudit(state)).toMatchObject({ calls: [{ id }], problems: [{ line: 1, why }] });
  });

  it("continues in its file when that was only moved", async () => {
    const audit = fileAudit(state);
    await audit.begin(call);
    renameSync(join(state.path, "audit"), join(state.path, "moved"));
    await audit.begin(call);
    audit.close();
    renameSync(join(state.path, "moved"), join(state.path, "audit"));
    expect(readAudit(state)).toMatchObject({ calls: [{}, {}], problems: [] });
  });
});
