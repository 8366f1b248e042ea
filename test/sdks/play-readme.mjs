/**
 * Runs the programs of the README that use an SDK against a scripted provider, and writes them to `types/`, where
 * `play-types.mjs` compiles them: `node play-readme.mjs README`. Ends with `N passed, M failed`.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { scriptedProvider } from "./scripted-provider.mjs";
import { wire as chat } from "./wires/openai-chat.mjs";
import { wire as responses } from "./wires/openai-responses.mjs";

/** What a program imports, and what its provider speaks. */
const SDKS = [
  ["ai", responses],
  ["openai", chat],
];
const TURNS = [{ calls: [{ id: "call_1", name: "read", arguments: '{"path":"a.txt"}' }] }, { text: "There is one." }];

const [readme] = process.argv.slice(2);
const blocks = [...readFileSync(readme, "utf8").matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, block]) => block);
const beside = fileURLToPath(new URL(".", import.meta.url));
let [passed, failed] = [0, 0];
for (const [sdk, wire] of SDKS) {
  const provider = await scriptedProvider(wire);
  const home = mkdtempSync(join(tmpdir(), "haft-readme-"));
  try {
    const found = blocks.filter((block) => block.includes(`from "${sdk}"`));
    assert.equal(found.length, 1);
    writeFileSync(join(beside, "types", `readme-${sdk}.ts`), found[0]);
    const program = join(beside, `readme-${sdk}.mjs`);
    writeFileSync(program, found[0]);
    const cwd = join(home, "project");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "a.txt"), "TODO\n");
    provider.play(TURNS);
    const url = sdk === "ai" ? provider.url : `${provider.url}/v1`;
    const env = { PATH: process.env.PATH, HOME: home, OPENAI_BASE_URL: url, OPENAI_API_KEY: "none" };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd, env, timeout: 30_000 });
    assert.equal(stdout, "There is one.\n");
    const [result] = wire.read(provider.requests[1]);
    assert.match(result.parts[0].text, /1│TODO$/);
    console.log(`ok README with ${sdk}`);
    passed++;
  } catch (error) {
    console.log(`not ok README with ${sdk}\n${error.stderr ?? ""}${error.message}`);
    failed++;
  } finally {
    await provider.close();
    rmSync(home, { recursive: true, force: true });
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
