/**
 * Runs the programs of `examples/` that use an SDK, as their reader would, against a scripted provider: `node play-examples.mjs
 * EXAMPLES`, a directory beside the SDKs. Ends with `N passed, M failed`.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { scriptedProvider } from "./scripted-provider.mjs";
import { wire as anthropic } from "./wires/anthropic.mjs";
import { wire as google } from "./wires/google.mjs";
import { wire as mcp } from "./wires/mcp.mjs";
import { wire as responses } from "./wires/openai-responses.mjs";

const openAi = (url) => ({
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: "none",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
});
/**
 * The program, what its provider speaks, the variables that its SDK reads, what its model reads where no user can be asked, and a
 * package that not every release has.
 */
const EXAMPLES = [
  ["anthropic.mjs", anthropic, (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" })],
  [
    "ai-sdk.mjs",
    responses,
    (url) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "none" }),
    { refused: /^There is no terminal/ },
  ],
  ["mastra.mjs", responses, (url) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "none" })],
  ["google.mjs", google, (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" })],
  ["langchain.mjs", responses, openAi, { needs: "langchain" }],
  ["claude-agent.mjs", mcp, (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" })],
  ["openai.mjs", responses, openAi],
  ["openai-agents.mjs", responses, openAi],
];
const TURNS = [
  { calls: [{ id: "call_1", name: "read", arguments: '{"path":"a.txt"}' }] },
  { calls: [{ id: "call_2", name: "bash", arguments: '{"command":"node check.mjs"}' }] },
  { text: "There is one file." },
];

const [examples] = process.argv.slice(2);
const packages = join(examples, "..", "node_modules");
let [passed, failed] = [0, 0];
installStandIn();
for (const [name, wire, environment, { refused = /^Did not run `bash`/, needs = "haft" } = {}] of EXAMPLES) {
  if (!existsSync(join(packages, needs))) {
    console.log(`cannot ${name} (needs ${needs})`);
    continue;
  }
  const provider = await scriptedProvider(wire);
  const home = mkdtempSync(join(tmpdir(), "haft-example-"));
  try {
    const cwd = join(home, "project");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "a.txt"), "hello\n");
    writeFileSync(join(cwd, "check.mjs"), "");
    provider.play(TURNS);
    const env = { PATH: process.env.PATH, HOME: home, ...environment(provider.url) };
    const args = [join(examples, name), "What is here?"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env, timeout: 30_000 });
    assert.match(stdout, /^There is one file\.$/m);
    const results = provider.requests.slice(1).flatMap((body) => wire.read(body));
    const [file, command] = ["call_1", "call_2"].map((id) => results.find((one) => one.id === id));
    assert.match(file.parts[0].text, /1│hello$/);
    assert.match(command.parts[0].text, refused);
    console.log(`ok ${name}`);
    passed++;
  } catch (error) {
    console.log(`not ok ${name}\n${error.stderr ?? ""}${error.message}`);
    failed++;
  } finally {
    await provider.close();
    rmSync(home, { recursive: true, force: true });
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** Where the Claude Agent SDK looks for its program, which comes in a package for each platform. */
function installStandIn() {
  const directory = join(packages, "@anthropic-ai", `claude-agent-sdk-${process.platform}-${process.arch}`);
  if (existsSync(directory)) return;
  mkdirSync(directory);
  const standIn = fileURLToPath(new URL("claude-stand-in.mjs", import.meta.url));
  writeFileSync(join(directory, "claude"), `#!/bin/sh\nexec "${process.execPath}" "${standIn}"\n`, { mode: 0o755 });
}
