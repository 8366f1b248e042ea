#!/usr/bin/env node
/**
 * Measures Haft beside the raw tools and, with `--peers`, beside its peers, in one interleaved run: every round plays every
 * side of a case once, one after the other, each side in a process of its own. Prints the tables in Markdown.
 *
 *   npm run bench -- [--peers] [--only ID,ID] [--rounds 5] [--size full|small] [--afresh] [--readme] [--write] [--json FILE]
 *
 * `--peers` installs them into a scratch directory, once; `--afresh` installs them again, and what is reported of their install is
 * then of this run. `--only` takes ids and their beginnings. `--readme` also prints the short table of the README. `--write`
 * puts the tables into bench/RESULTS.md, and the short one into README.md, between their marks.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { aboutRun, loadNow } from "./about.mjs";
import { corpus } from "./corpus.mjs";
import { installHaft } from "./install-rows.mjs";
import { measure } from "./measure.mjs";
import { fdOnPath, installPeers } from "./peers/install.mjs";
import { PEERS } from "./peers/peers.mjs";
import { readmeTable } from "./readme-table.mjs";
import { report } from "./report.mjs";
import { rgPath } from "./tools/ripgrep.mjs";
import { writeBetweenMarks } from "./write-tables.mjs";

const MODULES = [
  ...[
    "grep",
    "find",
    "read",
    "edit",
    "diff",
    "shell",
    "process",
    "pipeline",
    "policy",
    "box",
    "targets",
    "remote",
    "tmux",
    "sandbox",
    "adapters",
    "html",
    "http",
    "memory",
  ],
  ...["mcp-start", "mcp-calls", "mcp-tools", "program"],
].map((name) => new URL(`./cases/${name}.mjs`, import.meta.url).href);
/** Cold installs of Haft; each goes to the registry. */
const INSTALLS = 3;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    size: { type: "string", default: "full" },
    json: { type: "string" },
    peers: { type: "boolean", default: false },
    afresh: { type: "boolean", default: false },
    readme: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1 || !["full", "small"].includes(values.size)) {
  console.error(
    "usage: npm run bench -- [--peers] [--only ID,ID] [--rounds N] [--size full|small] [--afresh] [--write]",
  );
  process.exit(2);
}
const wanted = values.only?.split(",");
const isWanted = (id) => wanted === undefined || wanted.some((one) => id === one || id.startsWith(`${one}-`));

const directory = join(tmpdir(), "haft-bench");
mkdirSync(directory, { recursive: true });
console.error(`Making the ${values.size} corpus in ${directory}, once …`);
const layout = await corpus(directory, values.size);
const fd = fdOnPath();
const peerDirectory = join(directory, "peers");
const peers = values.peers
  ? await installPeers(peerDirectory, { afresh: values.afresh, rgPath, fdPath: fd.path })
  : undefined;
const scratch = mkdtempSync(join(directory, "run-"));

try {
  const loads = [loadNow()];
  const results = [];
  for (const module of MODULES) {
    const { cases } = await import(module);
    for (const item of cases.filter(({ id }) => isWanted(id))) {
      const names = Object.keys(item.sides).filter(isHere);
      if (names.length < 1 || !names.includes("ours")) continue;
      const began = performance.now();
      const about = { module, item, layout: { ...layout, peers, peerDirectory, fd }, scratch, rounds, only: names };
      results.push({ ...item, ...(await measure(about)) });
      console.error(`${item.id} ${((performance.now() - began) / 1000).toFixed(1)} s`);
      loads.push(loadNow());
    }
  }
  const install = isWanted("install") ? await installed() : undefined;
  const run = { about: aboutRun({ size: values.size, rounds, peers, fd, loads }), results, install };
  console.log(report(run));
  if (values.write) write("RESULTS.md", report(run));
  if (values.write) write("../README.md", readmeTable(run));
  if (values.readme) console.log(`\n${readmeTable(run)}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(run, null, 1)}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Undefined if npm failed; the rest of the run is still reported. */
async function installed() {
  try {
    return { haft: await installHaft(scratch, INSTALLS), peers: peers ?? {} };
  } catch (error) {
    console.error(`Haft was not installed: ${error.message.slice(0, 500)}`);
    return undefined;
  }
}

function write(name, text) {
  if (!writeBetweenMarks(name, text)) console.error(`${name} has no marks; nothing was written into it`);
}

/** Not a peer that is missing. */
function isHere(name) {
  if (name === "fd") return fd.path !== undefined;
  return PEERS[name] === undefined || peers?.[name]?.entry !== undefined;
}
