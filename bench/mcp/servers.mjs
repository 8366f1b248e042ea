/** The MCP servers, each started as its users start it, and their tools under the names that the cases use. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { haftTools } from "../tools/haft.mjs";
import { startServer } from "./client.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const notOffered = (what) => async () => {
  throw new Error(`not offered: ${what}`);
};

const SERVERS = {
  one: { args: () => [here("one-tool-server.mjs")], idle: ["nothing", {}], tools: () => ({}) },
  ours: {
    args: ({ cwd }) => [here("../../dist/surfaces/cli/main.js"), "serve", "--stdio", "--workspace", cwd],
    idle: ["todo_read", {}],
    tools: haftTools,
  },
  filesystem: {
    args: ({ layout, cwd }) => [layout.peers.filesystem.entry, cwd],
    idle: ["list_allowed_directories", {}],
    tools: filesystemTools,
  },
  commander: {
    args: ({ layout }) => [layout.peers.commander.entry, "--no-onboarding"],
    idle: ["list_searches", {}],
    tools: commanderTools,
    prepare: quietCommander,
  },
};

/** A server ready to be opened. `idle` is a tool and its input that has next to nothing to do. */
export function serverOf(name, place) {
  const { args, idle, prepare } = SERVERS[name];
  // Beside the directory that is worked in: Haft does not take one that holds a home.
  const home = `${place.scratch}.home`;
  mkdirSync(home, { recursive: true });
  prepare?.(home);
  const env = { PATH: process.env.PATH, HOME: home };
  return { idle, start: () => startServer([process.execPath, ...args(place)], { cwd: place.cwd, env }) };
}

/** The tools of a running server; its process is what is measured. */
export async function openServer(name, place) {
  const server = serverOf(name, place).start();
  await server.open();
  const tools = SERVERS[name].tools(server.call, place);
  return { ...tools, lastBytes: server.lastBytes, pids: () => [server.pid], close: server.end };
}

function filesystemTools(ask, { cwd }) {
  return {
    grep: notOffered("it does not search contents"),
    find: ({ name }) => ask("search_files", { path: cwd, pattern: `**/*${name}*` }),
    read({ path, first, count }) {
      if (first > 1) return notOffered("head and tail only")();
      return ask("read_text_file", { path: join(cwd, path), ...(first < 0 ? { tail: count } : { head: count }) });
    },
    edit: ({ path, oldText, newText }) => ask("edit_file", { path: join(cwd, path), edits: [{ oldText, newText }] }),
    bash: notOffered("no commands"),
  };
}

function commanderTools(ask, { cwd }) {
  /** A search runs on its own; its client asks until it has ended. */
  const search = async (input) => {
    let said = await ask("start_search", { path: cwd, ...input });
    const [sessionId] = /search_\w+/.exec(said);
    do {
      said = await ask("get_more_search_results", { sessionId, offset: 0, length: 500 });
    } while (!said.includes("COMPLETED"));
    return said;
  };
  return {
    grep: ({ pattern }) => search({ pattern, searchType: "content", ignoreCase: false, contextLines: 0 }),
    find: ({ name }) => search({ pattern: name, searchType: "files" }),
    read: ({ path, first, count }) =>
      ask("read_file", {
        path: join(cwd, path),
        ...(first < 0 ? { offset: first } : { offset: first - 1, length: count }),
      }),
    edit: ({ path, oldText, newText }) =>
      ask("edit_block", { file_path: join(cwd, path), old_string: oldText, new_string: newText }),
    bash: ({ command }) => ask("start_process", { command, timeout_ms: 60_000 }),
  };
}

/** Without telemetry, so that what is measured is the tools and not a network. */
function quietCommander(home) {
  const directory = join(home, ".claude-server-commander");
  mkdirSync(directory, { recursive: true });
  const config = { telemetryEnabled: false, allowedDirectories: [], blockedCommands: [], defaultShell: "/bin/sh" };
  writeFileSync(join(directory, "config.json"), JSON.stringify(config));
}
