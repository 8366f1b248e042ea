#!/usr/bin/env node
/**
 * Measures Haft beside the raw tools, in one interleaved run: every round plays every side of a case once, one after the
 * other, each side in a process of its own. Figures are medians; CPU counts the process and its children.
 *
 *   npm run bench -- [--only ID,ID] [--rounds 5] [--size full|small] [--json FILE]
 */
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { corpus } from "./corpus.mjs";
import { report } from "./report.mjs";

const MODULES = ["search", "files", "shell", "pipeline"].map(
  (name) => new URL(`./cases/${name}.mjs`, import.meta.url).href,
);

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    size: { type: "string", default: "full" },
    json: { type: "string" },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1 || !["full", "small"].includes(values.size)) {
  console.error("usage: npm run bench -- [--only ID,ID] [--rounds N] [--size full|small] [--json FILE]");
  process.exit(2);
}

const folder = join(tmpdir(), "haft-bench");
mkdirSync(folder, { recursive: true });
console.error(`Making the ${values.size} corpus in ${folder}, once …`);
const layout = await corpus(folder, values.size);
const scratch = mkdtempSync(join(folder, "run-"));

try {
  const results = [];
  for (const module of MODULES) {
    const { cases } = await import(module);
    for (const item of cases) {
      if (values.only !== undefined && !values.only.split(",").includes(item.id)) continue;
      console.error(`${item.id} …`);
      results.push(await measure(module, item));
    }
  }
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`;
  const about = {
    machine,
    date: new Date().toISOString().slice(0, 10),
    size: values.size,
    rounds,
    command: `npm run bench -- ${process.argv.slice(2).join(" ")}`.trim(),
  };
  console.log(report(about, results));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ about, results }, null, 1)}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function measure(module, item) {
  const sides = ["raw", "ours", "again"].filter((side) => item[side] !== undefined);
  const workers = new Map();
  const samples = Object.fromEntries(sides.map((side) => [side, []]));
  try {
    for (const side of sides) {
      const worker = startWorker();
      workers.set(side, worker);
      const place = mkdtempSync(join(scratch, `${item.id}-${side}-`));
      await worker.ask({ prepare: { module, id: item.id, side, layout, scratch: place } });
    }
    for (let round = 0; round < (item.rounds ?? rounds); round++) {
      for (const side of sides) samples[side].push(await workers.get(side).ask({ run: true }));
    }
  } finally {
    for (const worker of workers.values()) worker.end();
  }
  const { id, what, goal } = item;
  return {
    id,
    what,
    goal: goal?.text,
    sides: Object.fromEntries(sides.map((side) => [side, summary(samples[side])])),
    verdict: goal?.judge,
  };
}

function startWorker() {
  const child = fork(new URL("./worker.mjs", import.meta.url), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  return {
    ask: (message) =>
      new Promise((done, failed) => {
        const onExit = (code) => failed(new Error(`a worker ended with ${code}`));
        child.once("exit", onExit);
        child.once("message", (answer) => {
          child.off("exit", onExit);
          if (answer.failed === undefined) done(answer);
          else failed(new Error(answer.failed));
        });
        child.send(message);
      }),
    end: () => child.disconnect(),
  };
}

function summary(samples) {
  const median = (key) => samples.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(samples.length / 2)];
  return {
    wallMs: median("wallMs"),
    cpuMs: median("cpuMs"),
    peakMb: Math.max(...samples.map((one) => one.peakMb)),
    note: samples.at(-1).note,
  };
}
