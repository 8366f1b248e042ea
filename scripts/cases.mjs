#!/usr/bin/env node
/**
 * Plays a cases directory against the built product: the directory's `run.mjs` with `failures.jsonl`, or the file given, through
 * `test/cases/adapter.mjs`. The directory is the one that CASES names, else the one beside the repository; where there is
 * none this says so and succeeds. Then the cases of files, search and commands are played on each of the places of
 * `case-places.mjs` that is here: in a sandbox, in a container, over ssh. What passes on this machine passes there.
 *
 *   node scripts/cases.mjs [FILE] [--on local,sandbox] [--area EDIT,READ] [--only ID,ID] [--jobs N] [--keep]
 *
 * Cases listed in `test/cases/pending.json` are played too but do not fail the run; one of them that passes is reported.
 * A case that only a user can judge needs a test whose title ends with its id, as `[READ-03]`. So does each case that stands only in
 * `failures.md`, in an area whose cases need a server, a terminal or an engine: `npm test` runs those. Ends with `N passed, M failed, K skipped`.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PLACES } from "./case-places.mjs";

const DEFAULT_DIRECTORY = "../shared/cases";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = { type: "string" };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { on: text, area: text, only: text, jobs: text, keep: { type: "boolean" } },
});
const directory = process.env.CASES ? resolve(process.env.CASES) : resolve(root, DEFAULT_DIRECTORY);
const runner = join(directory, "run.mjs");
const file = positionals[0] ? resolve(positionals[0]) : join(directory, "failures.jsonl");
const pending = JSON.parse(readFileSync(join(root, "test/cases/pending.json"), "utf8"));
/**
 * `played`: areas of the tools that are built; `everywhere`: those of them that are also played on other places than this machine;
 * `byTests`: areas with cases that only tests can play; `notBuilt`: the others. An area that is in neither of the first and last fails
 * the run.
 */
const areas = JSON.parse(readFileSync(join(root, "test/cases/areas.json"), "utf8"));

if (!existsSync(runner) || !existsSync(file)) {
  const missing = process.env.CASES || positionals.length > 0 ? (existsSync(runner) ? file : runner) : undefined;
  const why = missing === undefined ? "there is no cases directory beside the checkout" : `there is no ${missing}`;
  console.log(`No cases were played: ${why}. Set CASES=DIR to one.`);
  console.log("0 passed, 0 failed, 0 skipped");
  process.exit(positionals.length > 0 || process.env.CASES ? 2 : 0);
}

const unlisted = areasOf(file).filter((area) => !areas.played.includes(area) && !areas.notBuilt.includes(area));
if (unlisted.length > 0) {
  console.log(`No cases were played: ${unlisted.join(", ")} is in no list of test/cases/areas.json.`);
  process.exit(1);
}

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const place of values.on?.split(",") ?? Object.keys(PLACES)) await playOn(place);
if (values.only === undefined) judgeByTests();
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed > 0 ? 1 : 0; // not process.exit: it would cut off what a pipe has not taken yet

async function playOn(name) {
  const scratch = mkdtempSync(join(tmpdir(), "haft-cases-"));
  const report = join(scratch, "report.json");
  const place = PLACES[name]?.(scratch) ?? { cannot: `use one of ${Object.keys(PLACES).join(", ")}` };
  try {
    if (place.cannot !== undefined) {
      console.log(`${name}: skipped (cannot: ${place.cannot})`);
      if (process.env.REQUIRE_ALL === "1" || PLACES[name] === undefined) totals.failed++;
      return;
    }
    const chosen = askedOf(name === "local" ? areas.played : areas.everywhere);
    if (values.only === undefined && chosen.length === 0) return;
    const code = await play(place, report, chosen);
    const results = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).results : undefined;
    if (results !== undefined) return summarize(name, results, place.differs);
    console.log(`${name}: the runner gave no report (exit code ${code}).`);
    totals.failed++;
  } finally {
    place.end?.();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Those of the areas that `--area` names; all without it. */
function askedOf(some) {
  const asked = values.area?.split(",");
  return some.filter((area) => asked?.includes(area) ?? true);
}

/** The cases of `failures.md` that no runner can play, in the areas of which each needs a test. */
function judgeByTests() {
  const document = join(directory, "failures.md");
  if (positionals.length > 0 || !existsSync(document)) return;
  const played = idsOf(file);
  const ids = [...readFileSync(document, "utf8").matchAll(/^### ([A-Z]+-\d+)$/gm)]
    .map(([, id]) => id)
    .filter((id) => !played.includes(id) && askedOf(areas.byTests).includes(id.split("-")[0]));
  const judged = namesInTests(ids);
  const unjudged = ids.filter((id) => !judged.has(id));
  if (judged.size > 0)
    console.log(`${judged.size} passed by tests, each with a test of its name: ${[...judged].join(" ")}`);
  if (unjudged.length > 0) console.log(`not ok: without a test that names the id: ${unjudged.join(" ")}`);
  totals.passed += judged.size;
  totals.failed += unjudged.length;
}

function play({ prefix, env, differs = {} }, report, played) {
  const chosen = values.only ? ["--only", values.only] : ["--area", played.join(",")];
  const options = [...(values.jobs ? ["--jobs", values.jobs] : []), ...(values.keep ? ["--keep"] : [])];
  const adapter = join(root, "test/cases/adapter.mjs");
  const runs = [process.execPath, runner, file, "--adapter", adapter, "--json", report, ...chosen, ...options];
  const [program, ...args] = [...prefix, ...runs];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const id = /^not ok ([A-Z]+-\d+)/.exec(line)?.[1];
    if (id && pending[id]) console.log(`pending ${id}: waits for ${pending[id].waitsFor} (${pending[id].reason})`);
    else if (id && line.endsWith(differs[id]?.outcome)) console.log(`ok ${id}, with a difference: ${differs[id].why}`);
    else console.log(line);
  });
  return new Promise((done) => {
    child.on("error", (error) => done(error.message));
    child.on("close", (exit) => done(exit));
  });
}

/** The ids of a cases file. */
function idsOf(path) {
  return [...readFileSync(path, "utf8").matchAll(/"id":\s*"([A-Z]+-\d+)"/g)].map(([, id]) => id);
}

/** Their areas. */
function areasOf(path) {
  return [...new Set(idsOf(path).map((id) => id.split("-")[0]))];
}

/** @param differs - Id → the only other outcome that is right on this place. A case that passes there must leave the list. */
function summarize(place, played, differs = {}) {
  const results = played.map((one) => {
    const other = differs[one.id]?.outcome;
    if (other === undefined || one.status === "skipped") return one;
    return { ...one, status: one.status === "failed" && one.why.endsWith(other) ? "passed" : "failed" };
  });
  const ids = (status, wanted) =>
    results.filter((one) => one.status === status && one.id in pending === wanted).map((one) => one.id);
  const judged = namesInTests(ids("manual", false).concat(ids("manual", true)));
  const unjudged = ids("manual", false).filter((id) => !judged.has(id));
  const failed = ids("failed", false);
  const waiting = [...ids("failed", true), ...ids("skipped", true)];

  if (waiting.length > 0) console.log(`${waiting.length} pending: ${waiting.join(" ")}`);
  const done = ids("passed", true);
  if (done.length > 0) console.log(`No longer pending, take them out of test/cases/pending.json: ${done.join(" ")}`);
  if (judged.size > 0) console.log(`${judged.size} manual, each with a test of its name: ${[...judged].join(" ")}`);
  if (unjudged.length > 0) console.log(`not ok: manual without a test that names the id: ${unjudged.join(" ")}`);
  const counts = {
    passed: results.filter((one) => one.status === "passed").length,
    failed: failed.length + unjudged.length,
    skipped: ids("skipped", false).length + waiting.length,
  };
  console.log(
    `${place}: ${Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(", ")}`,
  );
  for (const [what, count] of Object.entries(counts)) totals[what] += count;
}

/** Those of the ids that a test's title ends with. */
function namesInTests(ids) {
  const sources = [...testFiles(join(root, "src")), ...testFiles(join(root, "test"))].map((path) =>
    readFileSync(path, "utf8"),
  );
  return new Set(ids.filter((id) => sources.some((source) => source.includes(`[${id}]"`))));
}

function testFiles(path) {
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(path, name));
}
