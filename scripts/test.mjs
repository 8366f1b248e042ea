#!/usr/bin/env node
/**
 * Runs the tests, then looks whether they left a process behind. Arguments go to vitest. With --long ten times as many runs
 * of each property, and what is too slow for each run (`src/testing/long.fixture.ts`).
 *
 * A process counts as left when it is new, is no zombie, and carries the mark of this run or of a command of Haft in its
 * environment, or stands in the run's temporary directory. Other new ones are named; they may be somebody else's.
 *
 * With REQUIRE_ALL set, a test that did not run fails the run, unless its backend cannot do by nature what it asks.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directory = mkdtempSync(join(tmpdir(), "haft-test-"));
chmodSync(directory, 0o755); // tests that act as another user have to reach what lies below
const mark = `HAFT_TEST_RUN=${directory}`;
const before = new Set(processes().map(({ key }) => key));

const long = process.argv.includes("--long");
const vitestArgs = process.argv.slice(2).filter((arg) => arg !== "--long");
const jsonPath = join(directory, "result.json");
const vitest = join("node_modules", "vitest", "vitest.mjs");
const child = spawn(
  process.execPath,
  [vitest, "run", "--reporter=default", "--reporter=json", `--outputFile.json=${jsonPath}`, ...vitestArgs],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? {} : { NO_COLOR: "1" }),
      HAFT_TEST_RUN: directory,
      TMPDIR: directory,
      ...(long ? { LONG: "1" } : {}),
    },
  },
);
const code = await new Promise((done) => child.on("exit", (status) => done(status ?? 1)));

// A process that was signalled may take its grace of three seconds, and orphans are reaped late in some containers.
let fresh = newProcesses();
for (let turn = 0; turn < 25 && fresh.some(({ ours }) => ours); turn++) {
  await new Promise((done) => setTimeout(done, 200));
  fresh = newProcesses();
}
const left = fresh.filter(({ ours }) => ours);
for (const { pid, command } of left) console.log(`left behind: process ${pid} (${command})`);
const others = fresh.filter(({ ours }) => !ours).map(({ command }) => command);
if (others.length > 0) console.log(`new since the start, without a mark of this run: ${others.join(", ")}`);

const { passed, failed, broken, skipped } = tally();
const unexplained = process.env.REQUIRE_ALL ? skipped.filter((name) => !name.includes("(cannot: ")) : [];
if (skipped.length > 0)
  console.log(`\nSkipped, each with its reason in its name:\n${skipped.map((name) => `- ${name}`).join("\n")}`);
console.log(`\n/proc before and after the tests: ${left.length === 0 ? "nothing left" : `${left.length} left`}`);
if (broken.length > 0) console.log(`\nFailed:\n${broken.map((line) => `- ${line}`).join("\n")}\n`);
for (const name of unexplained) console.log(`not run, though everything is required: ${name}`);
console.log(`${passed} passed, ${failed + unexplained.length} failed, ${skipped.length - unexplained.length} skipped`);
rmSync(directory, { recursive: true, force: true });
process.exitCode = code === 0 && left.length + unexplained.length > 0 ? 1 : code;

function newProcesses() {
  return processes().filter(({ key, zombie }) => !before.has(key) && !zombie);
}

function processes() {
  if (!existsSync("/proc/self/stat")) return []; // nothing is known without it, and nothing is claimed
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
      const [state, parent, , , , , , , , , , , , , , , , , , started] = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ");
      if (parent === "2" || pid === "2") return [];
      return [{ pid, command, key: `${pid}:${started}`, zombie: state === "Z" || state === "X", ours: isOurs(pid) }];
    } catch {
      return [];
    }
  });
}

function isOurs(pid) {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    if (environment.includes(mark) || environment.includes("HAFT_TAG=")) return true;
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
  } catch {
    return false;
  }
}

function tally() {
  try {
    const report = JSON.parse(readFileSync(jsonPath, "utf8"));
    const tests = report.testResults.flatMap((file) => file.assertionResults);
    const skipped = tests
      .filter((test) => ["pending", "skipped", "todo"].includes(test.status))
      .map((test) => test.fullName);
    return { passed: report.numPassedTests, failed: report.numFailedTests, broken: brokenOf(report), skipped };
  } catch {
    return { passed: 0, failed: 0, broken: [], skipped: [] };
  }
}

/** Each failed test, and each file that could not be run, with the first line of why: what a reader of the log's end needs. */
function brokenOf({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === "failed");
    if (tests.length === 0) return status === "failed" ? [`${name}: ${firstLine(message)}`] : [];
    return tests.map((test) => `${name}: ${test.fullName}: ${firstLine(test.failureMessages.join("\n"))}`);
  });
}

function firstLine(text) {
  return (text ?? "").split("\n", 1)[0];
}
