/** An MCP server over stdio: from its start to the list of its tools, and how much of a context that list takes. */
import { readdirSync, readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { atMost, atMostTimes } from "../goals.mjs";
import { serverOf } from "../mcp/servers.mjs";

export const SERVERS = ["one", "ours", "filesystem", "commander"];

/** Of all threads of a process that runs. */
function cpuMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [ranNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(ranNs) / 1e6;
  }, 0);
}

function peakMb(pid) {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024);
}

const begin = (name) => async (place) => {
  const server = serverOf(name, { ...place, cwd: place.scratch });
  return async () => {
    const began = performance.now();
    const running = server.start();
    await running.open();
    const sample = { wallMs: performance.now() - began, cpuMs: cpuMs(running.pid), peakMb: peakMb(running.pid) };
    await running.end();
    return sample;
  };
};

const list = (name) => async (place) => {
  const server = serverOf(name, { ...place, cwd: place.scratch });
  return async () => {
    const running = server.start();
    const { tools } = await running.open();
    await running.end();
    const text = JSON.stringify({ tools });
    const [bytes, tokens] = [Buffer.byteLength(text), encode(text).length];
    const say = `${tools.length} tools, ${bytes.toLocaleString("en")} B, ${tokens.toLocaleString("en")} tokens`;
    return { wallMs: undefined, cpuMs: undefined, say, values: { tools: tools.length, bytes, tokens } };
  };
};

const all = (make) => Object.fromEntries(SERVERS.map((name) => [name, make(name)]));

export const cases = [
  {
    id: "mcp-start",
    table: "mcp",
    what: "from the start to the answer of `tools/list`",
    goals: [
      atMostTimes(1.15, { beside: "one", name: "a one-tool server" }),
      atMostTimes(0.8, { beside: "filesystem", name: "server-filesystem" }),
    ],
    sides: all(begin),
  },
  {
    id: "mcp-tools",
    table: "mcp",
    what: "the answer of `tools/list`",
    rounds: 1,
    warm: false,
    goals: [
      atMost(8_192, { of: ({ values }) => values.bytes, unit: "B" }),
      atMost(500, { of: ({ values }) => values.bytes / values.tools, unit: "B a tool" }),
    ],
    sides: all(list),
  },
];
