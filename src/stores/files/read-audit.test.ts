import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileAudit } from "./file-audit.js";
import { readAudit } from "./read-audit.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(realpathSync(mkdtempSync(join(tmpdir(), "haft-audit-"))));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const begin = (tool: string) => ({
  callId: "c1",
  sessionId: "s",
  tool,
  backend: "local",
  workspace: "",
  inputDigest: "",
  input: `{"of":"${tool}"}`,
});
const end = { status: "ok", tookMs: 3 } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Two processes, one of them over two days; the second call of the first one never ended. */
async function record(): Promise<void> {
  let atMs = Date.UTC(2026, 0, 1, 12);
  const [one, two] = [fileAudit(state, { now: () => atMs }), fileAudit(state, { now: () => atMs })];
  await one.end(await one.begin(begin("first")), end);
  atMs += 1;
  await two.end(await two.begin(begin("second")), end);
  atMs += DAY_MS;
  await one.begin(begin("third"));
  for (const audit of [one, two]) audit.close();
}

const files = () => readdirSync(join(state.path, "audit")).filter((name) => name.endsWith(".jsonl"));
const headOf = (log: string) => log.replace(/jsonl$/, "head");
function change(name: string, by: (lines: string[]) => string[]): void {
  const path = join(state.path, "audit", name);
  writeFileSync(
    path,
    by(readFileSync(path, "utf8").trimEnd().split("\n"))
      .map((line) => `${line}\n`)
      .join(""),
  );
}

describe("the record of all processes", () => {
  it("joins begins and ends in the order of time, and is sound as it was written", async () => {
    await record();
    const { calls, problems } = readAudit(state);
    expect(problems).toEqual([]);
    expect(calls.map(({ tool, status, tookMs, input }) => [tool, status, tookMs, input])).toEqual([
      ["first", "ok", 3, '{"of":"first"}'],
      ["second", "ok", 3, '{"of":"second"}'],
      ["third", undefined, undefined, '{"of":"third"}'],
    ]);
  });

  it("is empty where nothing was recorded", () => {
    expect(readAudit(state)).toEqual({ calls: [], problems: [] });
  });

  it("reports lines that were changed, moved, omitted or truncated", async () => {
    await record();
    const [name = ""] = files();
    const whole = readFileSync(join(state.path, "audit", name));
    const problemsAfter = (by: (lines: string[]) => string[]) => {
      writeFileSync(join(state.path, "audit", name), whole);
      change(name, by);
      return readAudit(state).problems.filter(({ file }) => file === name);
    };
    expect(problemsAfter((lines) => lines)).toEqual([]);
    expect(problemsAfter((lines) => lines.map((line) => line.replace('"ok"', '"no"')))).toMatchObject([{ line: 3 }]);
    expect(problemsAfter(([head = "", first = "", ...rest]) => [first, head, ...rest])).toMatchObject([{ line: 2 }]);
    expect(problemsAfter((lines) => lines.filter((_, index) => index !== 1))).toMatchObject([{ line: 2 }]);
    expect(problemsAfter((lines) => lines.slice(0, -1))).toEqual([{ file: name, why: "lines are missing at its end" }]);
    for (const first of [1, 2])
      expect(problemsAfter((lines) => lines.slice(first))).toEqual([
        { file: name, line: 1, why: "lines are missing before it" },
      ]);
  });

  it("is intact after old days were deleted", async () => {
    await record();
    const second = files().find((name) => name.startsWith("2026-01-02")) ?? "";
    const first = files().find((name) => name.startsWith("2026-01-01") && second.endsWith(name.slice(-18))) ?? "";
    for (const name of [first, headOf(first)]) rmSync(join(state.path, "audit", name));
    expect(readAudit(state).problems).toEqual([]);
    expect(readAudit(state).calls.map(({ tool }) => tool)).toEqual(["second", "third"]);
  });

  it("is sound in two halves once the oldest days are moved elsewhere, and misses one out of the middle", async () => {
    await record();
    const [old, middle] = ["old", "middle"].map((name) => openStateDirectory(join(state.path, name)));
    let atMs = Date.UTC(2026, 0, 1, 12);
    for (const name of readdirSync(join(state.path, "audit"))) {
      if (name.startsWith("2026-01-01"))
        renameSync(join(state.path, "audit", name), join(old!.directory("audit"), name));
    }
    expect([readAudit(old!), readAudit(state)]).toMatchObject([
      { problems: [], calls: [{ tool: "first" }, { tool: "second" }] },
      { problems: [], calls: [{ tool: "third" }] },
    ]);
    const audit = fileAudit(middle!, { now: () => atMs });
    for (const tool of ["one", "two", "three"]) {
      await audit.begin(begin(tool));
      atMs += DAY_MS;
    }
    audit.close();
    const [, second = ""] = readdirSync(join(middle!.path, "audit"))
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
    for (const name of [second, headOf(second)]) rmSync(join(middle!.path, "audit", name));
    expect(readAudit(middle!).problems).toMatchObject([{ line: 1, why: "the line before it was changed or removed" }]);
  });

  it.each(["rotated.log", "deleted"])("reports a head whose log was %s, once, and the other calls", async (to) => {
    let atMs = Date.UTC(2026, 0, 1, 12);
    const audit = fileAudit(state, { now: () => atMs });
    for (const tool of ["one", "two", "three"]) {
      await audit.begin(begin(tool));
      atMs += DAY_MS;
    }
    audit.close();
    const [, second = ""] = files().sort();
    if (to === "deleted") rmSync(join(state.path, "audit", second));
    else renameSync(join(state.path, "audit", second), join(state.path, "audit", to));
    const { calls, problems } = readAudit(state);
    expect(calls.map(({ tool }) => tool)).toEqual(["one", "three"]);
    const why =
      `the log that belongs to it, ${second}, is missing from ${join(state.path, "audit")}: calls of process ${process.pid} on ` +
      "2026-01-02, of any session, are not listed. If the log was renamed or moved, move it back under this name. " +
      "If it was deleted on purpose, delete the .head file too.";
    expect(problems).toEqual([{ file: headOf(second), why }]);
    rmSync(join(state.path, "audit", headOf(second)));
    expect(readAudit(state).problems).toMatchObject([{ line: 1 }]);
  });

  it("reports the log that was renamed while its process kept writing, and has all calls once it is moved back", async () => {
    const audit = fileAudit(state);
    await audit.begin(begin("first"));
    const [name = ""] = files();
    renameSync(join(state.path, "audit", name), join(state.path, "audit", `${name}.1`));
    await audit.begin(begin("second"));
    audit.close();
    expect(readAudit(state)).toMatchObject({ calls: [], problems: [{ file: headOf(name) }] });
    renameSync(join(state.path, "audit", `${name}.1`), join(state.path, "audit", name));
    expect(readAudit(state)).toMatchObject({ calls: [{ tool: "first" }, { tool: "second" }], problems: [] });
  });

  it("does not wait for a special file in place of the log, reports it, and returns the other calls", async () => {
    await record();
    const [one = "", , three = ""] = files();
    const head = headOf(three);
    for (const name of [one, head]) {
      rmSync(join(state.path, "audit", name));
      expect(spawnSync("mkfifo", [join(state.path, "audit", name)]).status).toBe(0);
    }
    const { calls, problems } = readAudit(state);
    expect(calls).toHaveLength(1);
    expect(problems).toEqual([
      { file: one, why: "it cannot be read: it is not a file" },
      { file: three, why: "its head cannot be read: it is not a file" },
    ]);
  });

  it("reports what was deleted while its process kept writing, and the calls after it", async () => {
    let atMs = Date.UTC(2026, 0, 1, 12);
    const audit = fileAudit(state, { now: () => atMs });
    await audit.begin(begin("first"));
    atMs += DAY_MS;
    await audit.begin(begin("gone"));
    await new Promise((resolve) => setImmediate(resolve)); // until its head was written
    const [, today = ""] = files();
    rmSync(join(state.path, "audit", today));
    await audit.begin(begin("third"));
    audit.close();
    const { calls, problems } = readAudit(state);
    expect(calls.map(({ tool }) => tool)).toEqual(["first", "third"]);
    expect(problems).toEqual([{ file: today, line: 1, why: "2 lines before it were removed while their process ran" }]);
  });

  it("reports a line that is not an entry although its hash is right, and keeps those before it", async () => {
    await record();
    const [name = ""] = files();
    const whole = readFileSync(join(state.path, "audit", name), "utf8");
    const sound = JSON.parse(whole.trimEnd().split("\n").at(-1) ?? "");
    const next = { kind: "end", sequence: sound.sequence + 1, atMs: sound.atMs, previous: sound.hash };
    const odd = [
      { kind: "other" },
      { kind: 5 },
      { sequence: "4" },
      { sequence: -1 },
      { atMs: "x" },
      { atMs: 1e300 },
      { atMs: null },
    ];
    for (const body of [
      "{x}",
      "{}",
      '{"__proto__":{"kind":"end"}}',
      ...odd.map((more) => JSON.stringify({ ...next, ...more })),
    ]) {
      const hash = createHash("sha256").update(body).digest("hex");
      writeFileSync(join(state.path, "audit", name), `${whole}${body.slice(0, -1)},"hash":"${hash}"}\n`);
      const { calls, problems } = readAudit(state);
      expect([body, problems]).toEqual([body, [{ file: name, line: 4, why: "it is not an audit record" }]]);
      expect(calls.map(({ tool }) => tool)).toEqual(["first", "second", "third"]);
    }
  });
});
