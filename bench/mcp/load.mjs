#!/usr/bin/env node
/**
 * Many clients of `haft serve` at once: so many sessions, so many calls, over HTTP on this machine. Says how long it took,
 * how many calls failed and how the memory of the server went; ends with 1 when a call failed or the memory grew.
 *
 *   node bench/mcp/load.mjs [--sessions 200] [--calls 10000] [--clients 4]
 */
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

/** The memory of the last quarter of the run, in its median, may lie so much above that of the second. */
const GROWTH_ALLOWED = 1.2;

const number = (value) => ({ type: "string", default: String(value) });
const { values } = parseArgs({ options: { sessions: number(200), calls: number(10_000), clients: number(4) } });
const [sessions, calls, clients] = [values.sessions, values.calls, values.clients].map(Number);

const main = fileURLToPath(new URL("../../dist/surfaces/cli/main.js", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "haft-load-"));
for (const name of ["home", "project"]) mkdirSync(join(root, name));
writeFileSync(join(root, "project", "a.txt"), "one\ntwo\n".repeat(50));
const at = { cwd: join(root, "project"), env: { PATH: process.env.PATH, HOME: join(root, "home") } };
const agent = new Agent({ keepAlive: true, maxSockets: sessions });

/** What each session calls, in turn; a command now and then. */
const TURN = [
  ["todo_set", (round) => ({ items: [{ id: "1", text: `round ${round}`, status: "pending" }] })],
  ["todo_read", () => ({})],
  ["read", () => ({ path: "a.txt", limit: 10 })],
  ["todo_read", () => ({})],
  ["grep", () => ({ pattern: "two", path: "a.txt", limit: 5 })],
  ...Array.from({ length: 15 }, () => ["todo_read", () => ({})]),
];

const server = spawn(process.execPath, [main, "serve"], { ...at, stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((resolve) => server.once("exit", resolve));
try {
  const url = await addressOf(server);
  const tokens = [];
  for (let client = 0; client < clients; client++) {
    const { stdout } = await promisify(execFile)(process.execPath, [main, "token", "add", `client-${client}`], at);
    tokens.push(stdout.trim());
  }
  const memory = [memoryMb()];
  const slowest = [];
  let done = 0;
  let failed = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: sessions }, async (_, index) => {
      const headers = { authorization: `Bearer ${tokens[index % clients]}` };
      headers["mcp-session-id"] = await openSession(url, headers);
      for (let round = 0; round < calls / sessions; round++) {
        const [name, args] = TURN[round % TURN.length];
        const start = performance.now();
        const answer = await ask(url, headers, "tools/call", { name, arguments: args(round) }, round + 2).catch(String);
        slowest.push(performance.now() - start);
        if (answer?.body?.result === undefined || answer.body.result.isError) {
          failed++;
          if (failed < 5) console.error(`failed: ${name}: ${JSON.stringify(answer).slice(0, 300)}`);
        }
        if (++done % Math.ceil(calls / 20) === 0) memory.push(memoryMb());
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  slowest.sort((one, other) => one - other);
  const quarter = (from) => median(memory.slice((memory.length * from) / 4, (memory.length * (from + 1)) / 4));
  const [second, last] = [quarter(1), quarter(3)];
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`;
  console.log(`machine: ${machine}; ${new Date().toISOString().slice(0, 10)}`);
  console.log(`command: node bench/mcp/load.mjs --sessions ${sessions} --calls ${calls} --clients ${clients}`);
  console.log(`${sessions} sessions at once of ${clients} clients, ${done} calls, ${failed} failed`);
  console.log(
    `${seconds.toFixed(1)} s, ${Math.round(done / seconds)} calls/s; a call took ${slowest[slowest.length >> 1].toFixed(0)} ms (median), ${slowest.at(-1).toFixed(0)} ms at most`,
  );
  console.log(`memory of the server, MB, at every twentieth: ${memory.join(" ")}`);
  console.log(
    `second quarter ${second}, last quarter ${last}, at most ${Math.max(...memory)}; files open at the end: ${readdirSync(`/proc/${server.pid}/fd`).length}`,
  );
  const isFlat = last <= second * GROWTH_ALLOWED;
  console.log(isFlat ? "memory is flat" : "memory grew");
  process.exitCode = failed > 0 || !isFlat ? 1 : 0;
} finally {
  agent.destroy();
  server.kill("SIGTERM");
  await ended;
  rmSync(root, { recursive: true, force: true });
}

function addressOf(child) {
  let printed = "";
  return new Promise((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(printed);
      if (found !== null) resolve(found[0]);
    });
  });
}

async function openSession(url, headers) {
  const clientInfo = { name: "load", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const answer = await ask(url, headers, "initialize", params, 1);
  return answer.headers["mcp-session-id"];
}

/** One request; its answer is the last event of the stream. */
function ask(url, headers, method, params, id) {
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  return new Promise((resolve, reject) => {
    const sent = { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" };
    const one = request(url, { method: "POST", agent, headers: sent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => {
        const last = text.split("\n").findLast((line) => line.startsWith("data: "));
        resolve({ headers: response.headers, status: response.statusCode, body: last && JSON.parse(last.slice(6)) });
      });
    });
    one.on("error", reject);
    one.end(body);
  });
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}

function memoryMb() {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024);
}
