/**
 * Plays every situation through the loops of the SDKs that are installed beside it: `node play-loops.mjs DIST [LOOP…]`.
 * Prints a line for each cell of the table, and ends with `N passed, M failed`.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { scriptedProvider } from "./scripted-provider.mjs";
import { FILES, situations } from "./situations.mjs";

const [dist, ...only] = process.argv.slice(2);
const ENDS_WITHIN_MS = 30_000;
const LONGEST_MESSAGE = 3000;

/** An entry of the build: "" or such as "ai-sdk". */
const ENTRIES = { "": "index.js", mcp: "surfaces/mcp/box-server.js" };
const haft = (entry = "") => import(pathToFileURL(join(dist, ENTRIES[entry] ?? `adapters/${entry}.js`)).href);
const { createToolkit, defineTool, text } = await haft();

let [passed, failed] = [0, 0];
for (const file of readdirSync(new URL("loops/", import.meta.url)).sort()) {
  if (only.length > 0 && !only.includes(file.replace(".mjs", ""))) continue;
  const { loop } = await import(`./loops/${file}`);
  const provider = await scriptedProvider(loop.wire);
  for (const situation of situations) {
    const cell = `${loop.name}: ${situation.name}`;
    if (loop.cannot?.[situation.name] !== undefined) {
      console.log(`cannot ${cell} (${loop.cannot[situation.name]})`);
      continue;
    }
    try {
      await played(loop, situation, provider);
      console.log(`ok ${cell}`);
      passed++;
    } catch (error) {
      console.log(`not ok ${cell}\n${String(error?.message ?? error).slice(0, LONGEST_MESSAGE)}`);
      failed++;
    }
  }
  await provider.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function played(loop, situation, provider) {
  const root = mkdtempSync(join(tmpdir(), "haft-loop-"));
  const workspace = join(root, "project");
  mkdirSync(workspace);
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(workspace, name), content);
  const stop = new AbortController();
  const seen = { asked: 0, cancelled: 0 };
  const approve = async () => {
    seen.asked++;
    return situation.approves === true;
  };
  const toolkit = await createToolkit({
    workspace,
    stateDir: join(root, "state"),
    tools: ownTools(stop, seen),
    approver: {
      ask: async () => ((await approve()) ? { by: "user", scope: "once" } : { denied: "The user said no." }),
    },
  });
  try {
    const box = toolkit.box();
    const expected = loop.reads?.[situation.name] ?? situation.reads ?? [[await asTheBoxReturns(box, situation)]];
    provider.play(situation.turns);
    const { url } = provider;
    const run = loop.run({ url, box, haft, prompt: "Do it.", signal: stop.signal, approve });
    const final = await inTime(situation.cancels ? run.catch(() => undefined) : run);
    const read = provider.requests.slice(1).map((body) => loop.wire.read(body));
    assert.deepEqual(normal(read), normal(withErrors(expected, read)));
    if (situation.looks !== undefined) assert.match(JSON.stringify(read), situation.looks);
    if (situation.cancels) assert.equal(seen.cancelled, 1, "the tool was not cancelled");
    else assert.equal(final, loop.finals?.[situation.name] ?? "done");
    const { approves, questions = approves === undefined ? 0 : 1, remembers } = situation;
    assert.equal(seen.asked, questions, `the user was asked ${seen.asked} times`);
    const held = remembers && loop.wire.history?.(provider.requests.at(-1)); // where the SDK's own request holds them
    if (held !== undefined)
      assert.deepEqual(
        { calls: held.calls.sort(), results: held.results.sort() },
        { calls: remembers, results: remembers },
      );
    situation.after?.(workspace);
  } finally {
    await toolkit.close();
    rmSync(root, { recursive: true, force: true });
  }
}

function ownTools(stop, seen) {
  const own = (name, parameters, run) => defineTool({ name, description: `Runs ${name}.`, parameters, run });
  const none = { type: "object", properties: {}, additionalProperties: false };
  const oneText = { ...none, properties: { text: { type: "string" } }, required: ["text"] };
  return [
    own("echo", oneText, ({ text: value }) => text(value)),
    own("nothing", none, () => text("")),
    own("boom", none, () => {
      throw new Error("boom");
    }),
    own("wait", none, (_, ctx) => {
      setTimeout(() => stop.abort(new Error("stopped by the test")), 50);
      return new Promise((resolve) =>
        ctx.signal.addEventListener("abort", () => {
          seen.cancelled++;
          resolve(text("cancelled"));
        }),
      );
    }),
  ];
}

async function asTheBoxReturns(box, { turns, sameAs }) {
  const { output, isError } = await box.runner.run({ id: "direct", ...sameAs });
  return { id: turns[0].calls[0].id, isError, parts: [{ type: "text", text: output }] };
}

/** Whether a result is an error is looked at where the protocol has a place for it. */
function withErrors(expected, read) {
  return expected.map((results, turn) =>
    results.map(({ isError, ...result }, index) =>
      read[turn]?.[index]?.isError === undefined ? result : { ...result, isError },
    ),
  );
}

/** Ids of artifacts are random. */
function normal(value) {
  return JSON.parse(JSON.stringify(value).replace(/artifact:a-[0-9a-f]+/g, "artifact:ID"));
}

function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${ENDS_WITHIN_MS} ms`)), ENDS_WITHIN_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
