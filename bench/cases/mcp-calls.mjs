/** Warm calls to an MCP server over stdio, one after the other and 16 at once. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atLeastTimes } from "../goals.mjs";
import { serverOf } from "../mcp/servers.mjs";
import { SERVERS } from "./mcp-start.mjs";

const CALLS = 2_000;
/** Calls that one sample of a very slow server makes. */
const FEW = 12;
/** Calls before those that count, until the compiler has seen enough. */
const WARM_UP = 300;
const NOTE = "note.txt";

const stage = ({ scratch }) => {
  writeFileSync(join(scratch, NOTE), `${"small file ".repeat(94)}end\n`);
};

/** What reads the small file, by the server. */
const READS = {
  ours: () => ["read", { path: NOTE }],
  filesystem: (cwd) => ["read_text_file", { path: join(cwd, NOTE) }],
  commander: (cwd) => ["read_file", { path: join(cwd, NOTE) }],
};

const calling = (name, atOnce, inputOf) => async (place) => {
  const server = serverOf(name, { ...place, cwd: place.scratch });
  const running = server.start();
  await running.open();
  const [tool, input] = inputOf?.(place.scratch) ?? server.idle;
  const isSlow = name === "commander";
  const calls = isSlow ? FEW : CALLS;
  const many = async (count) => {
    let next = 0;
    const lane = async () => {
      while (next++ < count) await running.call(tool, input);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  };
  await many(isSlow ? 1 : WARM_UP);
  const run = async () => {
    await many(calls);
    return { calls };
  };
  return { run, pids: () => [running.pid], close: running.end };
};

const oneTool = [atLeastTimes(0.55, { beside: "one", name: "a one-tool server" })];
const filesystem = (atOnce) => [
  atLeastTimes(atOnce === 1 ? 0.8 : 0.5, { beside: "filesystem", name: "server-filesystem" }),
];

function callCase(id, what, atOnce, isRead) {
  const names = isRead ? Object.keys(READS) : SERVERS.filter((name) => name !== "commander");
  return {
    id,
    table: "mcp",
    what,
    unit: "call",
    stage,
    warm: false,
    goals: isRead ? filesystem(atOnce) : oneTool,
    sides: Object.fromEntries(names.map((name) => [name, calling(name, atOnce, isRead ? READS[name] : undefined)])),
  };
}

export const cases = [
  callCase("mcp-idle", "a call that has nothing to do", 1, false),
  callCase("mcp-idle-16", "the same, 16 at once", 16, false),
  callCase("mcp-read", "reading a file of 1 KB", 1, true),
  callCase("mcp-read-16", "the same, 16 at once", 16, true),
];
