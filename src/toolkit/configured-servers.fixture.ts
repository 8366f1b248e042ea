/** Configured servers and a toolkit with their tools, for each test in a directory of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { ToolOutcome } from "../kernel/index.js";
import type { ServerConfig } from "./config/config.js";
import { type ConfiguredServers, configuredServers } from "./configured-servers.js";
import { createToolkit } from "./create-toolkit.js";
import type { Toolkit } from "./toolkit.js";
import type { ToolkitOptions } from "./toolkit-options.js";

/** Within this a promise to settle has to be kept, whatever the machine does beside. */
export const SETTLES_MS = 30_000;

/** Opened before each test of the file that calls this, and closed after it. */
export function serversBench() {
  const bench = { directory: "", notes: [] as string[], connect, offered, calling };
  let open: (ConfiguredServers | Toolkit)[];
  beforeEach(() => {
    bench.directory = mkdtempSync(join(tmpdir(), "haft-servers-"));
    bench.notes = [];
    open = [];
  });
  afterEach(async () => {
    for (const one of open.reverse()) await one.close();
    rmSync(bench.directory, { recursive: true, force: true });
  });
  return bench;

  async function connect(
    servers: Record<string, ServerConfig>,
    more: { tools?: Record<string, boolean>; withinMs?: number } = {},
  ): Promise<ConfiguredServers> {
    const connected = await configuredServers({
      config: { servers, tools: more.tools ?? {} },
      cwd: bench.directory,
      version: "0",
      lookUp: () => undefined,
      onNote(line) {
        bench.notes.push(line);
        throw new Error("a listener that fails");
      },
      startupTimeoutMs: more.withinMs ?? SETTLES_MS,
    });
    open.push(connected);
    return connected;
  }

  async function offered(servers: ConfiguredServers): Promise<readonly string[]> {
    return (await servers.tools()).map((tool) => tool.name);
  }

  async function calling(servers: ConfiguredServers, options: ToolkitOptions = {}) {
    const tools = await servers.tools();
    const toolkit = await createToolkit({
      autonomy: "full",
      workspace: bench.directory,
      persist: false,
      tools,
      ...options,
    });
    open.push(toolkit);
    const { runner } = toolkit.box();
    return (name: string, input: unknown = {}, signal?: AbortSignal): Promise<ToolOutcome> =>
      runner.run({ id: "call", name, input }, signal === undefined ? {} : { signal });
  }
}

export async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + SETTLES_MS;
  while (!holds() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
}
