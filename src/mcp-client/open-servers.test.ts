import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openServers } from "./open-servers.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-open-servers-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Lists one tool more each time it is asked, and says after the first time that they have changed. */
const GROWING = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  if (method === "initialize")
    return send({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "x", version: "1" } } });
  if (method !== "tools/list") return;
  globalThis.tools = [...(globalThis.tools ?? [{}]), { name: "t" + (globalThis.tools ?? []).length, inputSchema: { type: "object" } }];
  send({ id, result: { tools: globalThis.tools } });
  if (globalThis.tools.length === 2) send({ method: "notifications/tools/list_changed" });
});
`;

it("what a host's listeners throw harms no server and not the wait for them", async () => {
  const heard: string[] = [];
  const servers = openServers({
    servers: {
      dead: { command: join(directory, "none") },
      growing: { command: process.execPath, args: ["-e", GROWING] },
    },
    cwd: directory,
    version: "0",
    callLimits: { timeoutMs: 10_000, maxMs: 60_000 },
    onNote: (line) => {
      heard.push(line);
      throw new Error("the listener is broken");
    },
    onChange: () => {
      heard.push("changed");
      throw new Error("the listener is broken");
    },
    startupTimeoutMs: 20_000,
  });
  try {
    await servers.ready;
    expect(servers.states().map(({ name, state }) => [name, state])).toEqual([
      ["dead", "failed"],
      ["growing", "there"],
    ]);
    expect(heard.join("\n")).toContain('the server "dead": it is skipped');
    expect(heard.join("\n")).toContain("skipped a tool without a name");
    await expect.poll(() => heard, { timeout: 20_000 }).toContain("changed");
    await expect.poll(() => servers.tools(), { timeout: 20_000 }).toHaveLength(2);
    expect(servers.states()[1]).toMatchObject({ state: "there", reported: ["skipped a tool without a name"] });
  } finally {
    await servers.close();
  }
}, 60_000);

/** Lists its tools, then fails as often as its first argument says; says that they have changed, after a failure too where the second is "reports". */
const FAILING = `
let asked = 0;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  if (method === "initialize")
    return send({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "x", version: "1" } } });
  if (method !== "tools/list") return;
  asked++;
  const isWell = asked === 1 || asked > 1 + Number(process.argv[1]);
  if (isWell) send({ id, result: { tools: [{ name: "t" + asked, inputSchema: { type: "object" } }] } });
  else send({ id, error: { code: -32603, message: "try " + asked } });
  if (asked === 1 || process.argv[2] === "reports") setTimeout(send, 300, { method: "notifications/tools/list_changed" });
});
`;

it.each([
  ["tried again", 4, "is silent", 50],
  ["asked at once where it says that they have changed", 1, "reports", 600_000],
] as const)(
  "a server whose tools cannot be listed again keeps them, is reported once, and is %s",
  async (_, failures, reports, retryMs) => {
    const heard: string[] = [];
    const servers = openServers({
      servers: { s: { command: process.execPath, args: ["-e", FAILING, String(failures), reports] } },
      cwd: directory,
      version: "0",
      callLimits: { timeoutMs: 10_000, maxMs: 60_000 },
      onNote: (line) => heard.push(line),
      startupTimeoutMs: 20_000,
      retryMs,
    });
    try {
      await servers.ready;
      await expect.poll(() => servers.states()[0]?.reported, { timeout: 20_000 }).toHaveLength(1);
      expect(servers.states()[0]).toMatchObject({ state: "there", tools: [{ name: "s__t1" }] });
      await expect
        .poll(() => servers.tools().map(({ name }) => name), { timeout: 20_000 })
        .toEqual([`s__t${failures + 2}`]);
      expect(heard).toEqual([
        expect.stringMatching(
          /^the server "s": its tools are unchanged, because they could not be listed again: .*try 2/,
        ),
        'the server "s": it is connected now, with 1 tool',
      ]);
    } finally {
      await servers.close();
    }
  },
  60_000,
);
