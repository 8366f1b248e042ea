#!/usr/bin/env node
/**
 * `haft serve --stdio` beside a server with one tool that does nothing on the same SDK (`one-tool-server.mjs`): from the
 * start to the answer of `tools/list`, and calls, one after the other and 16 at once. Rounds take turns; figures are medians.
 * CPU is that of the server's process and says more than the wall on a machine that does other work.
 *
 *   node bench/mcp-stdio.mjs [--rounds 9] [--calls 2000]
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const AT_ONCE = 16;
/** Calls before those that count, until the compiler has seen enough. */
const WARM_UP = 300;

const number = (value) => ({ type: "string", default: String(value) });
const { values } = parseArgs({ options: { rounds: number(9), calls: number(2_000) } });
const [rounds, calls] = [values.rounds, values.calls].map(Number);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = mkdtempSync(join(tmpdir(), "haft-mcp-"));
const workspace = join(root, "project");
mkdirSync(workspace);

const SIDES = {
  "one tool": { args: [here("one-tool-server.mjs")], tool: "nothing" },
  haft: {
    args: [here("../dist/surfaces/cli/main.js"), "serve", "--stdio", "--workspace", workspace],
    tool: "todo_read",
  },
};
const samples = Object.fromEntries(Object.keys(SIDES).map((side) => [side, []]));
try {
  for (let round = 0; round < rounds; round++)
    for (const [side, { args, tool }] of Object.entries(SIDES)) samples[side].push(await measure(args, tool));
} finally {
  rmSync(root, { recursive: true, force: true });
}

console.log(
  `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}; ${new Date().toISOString().slice(0, 10)}; --rounds ${rounds} --calls ${calls}`,
);
const rows = {
  startWallMs: "start to tools/list, wall ms",
  startCpuMs: "start to tools/list, CPU ms",
  callWallUs: "a call, wall µs",
  callCpuUs: "a call, CPU µs",
  atOnceWallUs: `a call, ${AT_ONCE} at once, wall µs`,
};
for (const [key, what] of Object.entries(rows)) {
  const [one, ours] = Object.values(samples).map((all) => median(all.map((sample) => sample[key])));
  console.log(`${what}: one tool ${one.toFixed(0)}, Haft ${ours.toFixed(0)}, ratio ${(ours / one).toFixed(2)}`);
}

async function measure(args, tool) {
  const began = performance.now();
  const server = start(args);
  const clientInfo = { name: "bench", version: "1" };
  await server.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await server.ask("tools/list", {});
  const sample = { startWallMs: performance.now() - began, startCpuMs: cpuMs(server.pid) };
  const call = () => server.ask("tools/call", { name: tool, arguments: {} });
  for (let index = 0; index < WARM_UP; index++) await call();
  const [wall, cpu] = [performance.now(), cpuMs(server.pid)];
  for (let index = 0; index < calls; index++) await call();
  sample.callWallUs = ((performance.now() - wall) * 1000) / calls;
  sample.callCpuUs = ((cpuMs(server.pid) - cpu) * 1000) / calls;
  const parallel = performance.now();
  const some = async () => {
    for (let index = 0; index < calls / AT_ONCE; index++) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
  sample.atOnceWallUs = ((performance.now() - parallel) * 1000) / calls;
  await server.end();
  return sample;
}

function start(args) {
  const env = { PATH: process.env.PATH, HOME: join(root, "home") };
  const child = spawn(process.execPath, args, { cwd: workspace, env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let text = "";
  let id = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop();
    for (const message of lines.map((line) => JSON.parse(line))) waiting.get(message.id)?.(message);
  });
  return {
    pid: child.pid,
    ask: (method, params) =>
      new Promise((resolve) => {
        waiting.set(++id, resolve);
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      }),
    end: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.stdin.end();
      }),
  };
}

/** Of all threads of the process. */
function cpuMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [ranNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(ranNs) / 1e6;
  }, 0);
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}
