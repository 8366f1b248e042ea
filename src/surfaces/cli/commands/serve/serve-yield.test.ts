import { afterEach, beforeEach, expect, it } from "vitest";
import { StdioPlace } from "../../../mcp/stdio-place.fixture.js";

/** Loaded into the server before it starts: a timer of exactly 45 s fires soon, and no other one is touched. */
const HURRY = `
  const { setTimeout: start } = globalThis;
  globalThis.setTimeout = (done, ms, ...rest) => start(done, ms === 45_000 ? 100 : ms, ...rest);`;

let place: StdioPlace;
beforeEach(() => {
  place = new StdioPlace();
});
afterEach(() => place.close());

function hurried(args?: readonly string[]) {
  const server = place.server(args);
  return { ...server, args: ["--import", `data:text/javascript,${encodeURIComponent(HURRY)}`, ...server.args] };
}

it.each([
  ["in the workspace that it was given", undefined, undefined],
  ["in the first root of its client", [], (root: string) => [`file://${root}`]],
] as const)("a served command %s that runs for 45 s continues as a job, and its call ends", async (_, args, roots) => {
  const client = await place.newClient("legacy", hurried(args), roots?.(place.workspace));
  const { content } = (await client.callTool({
    name: "bash",
    arguments: { command: "echo begun; while [ ! -e enough ]; do sleep 0.05; done; echo over" },
  })) as { readonly content: readonly { readonly text?: string }[] };
  const text = content.map((block) => block.text ?? "").join("\n");
  const id = /job-\d+/.exec(text)?.[0];
  expect(id).toBeDefined();
  await client.callTool({ name: "bash", arguments: { command: "touch enough" } });
  const waited = await client.callTool({ name: "process", arguments: { action: "wait", id } });
  // A slow machine prints nothing in the time of the call; what was not shown then comes with the wait.
  expect(text + JSON.stringify(waited.content)).toMatch(/begun[\s\S]*over/);
});
