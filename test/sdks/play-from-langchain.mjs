/** Tools that LangChain makes, called through a toolkit: `node play-from-langchain.mjs DIST`. Ends with `N passed, M failed`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, DynamicTool, StructuredTool, Tool, tool } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { z } from "zod";
import { z as older } from "zod/v3";

const [dist] = process.argv.slice(2);
const load = (entry) => import(pathToFileURL(join(dist, entry)).href);
const { createToolkit } = await load("index.js");
const { fromLangChain } = await load("adapters/langchain.js");

const fields = { name: "weather", description: "The weather of a city." };
const city = z.object({ city: z.string().describe("Its name.") });
const json = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const func = async ({ city: name }) => `${name} is sunny`;
const ULM = { city: "Ulm" };
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

class Weather extends StructuredTool {
  name = "weather";
  description = "The weather of a city.";
  schema = city;
  _call = func;
}
class Search extends Tool {
  name = "weather";
  description = "Searches.";
  _call = async (query) => `found ${query}`;
}

const checks = {
  ...Object.fromEntries(
    Object.entries({
      "tool() with zod": tool(func, { ...fields, schema: city }),
      "tool() with a JSON schema": tool(func, { ...fields, schema: json }),
      "DynamicStructuredTool with zod": new DynamicStructuredTool({ ...fields, schema: city, func }),
      "DynamicStructuredTool with a JSON schema": new DynamicStructuredTool({ ...fields, schema: json, func }),
      "a class of one's own": new Weather(),
    }).map(([name, made]) => [
      name,
      async () => {
        const { call, parameters } = await callerOf(made);
        assert.deepEqual([parameters.properties.city.type, parameters.required], ["string", ["city"]]);
        assert.deepEqual(await call(ULM), ["ok", "Ulm is sunny"]);
        const [status, output] = await call({});
        assert.deepEqual([status, /`city`/.test(output)], ["invalid", true]);
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      "DynamicTool, whose input is one text": new DynamicTool({ ...fields, func: async (query) => `found ${query}` }),
      "tool() with a text as its input": tool(async (query) => `found ${query}`, fields),
      "tool() with z.string()": tool(async (query) => `found ${query}`, { ...fields, schema: z.string() }),
      "a class whose input is one text": new Search(),
    }).map(([name, made]) => [
      name,
      async () => {
        const { call, parameters } = await callerOf(made);
        assert.deepEqual(Object.keys(parameters.properties), ["input"]);
        assert.deepEqual(await call({ input: "Ulm" }), ["ok", "found Ulm"]);
      },
    ]),
  ),
  "zod before 4.6, with its JSON schema": async () => {
    const made = tool(func, { ...fields, schema: older.object({ city: older.string() }) });
    assert.throws(() => fromLangChain(made), /Pass `parameters`, such as `toJsonSchema\(tool\.schema\)`/);
    const { call } = await callerOf(made, { parameters: toJsonSchema(made.schema) });
    assert.deepEqual(await call(ULM), ["ok", "Ulm is sunny"]);
  },
  "defaults and conversions of the schema": async () => {
    const schema = z.object({ days: z.number().default(3), city: z.string().transform((name) => name.toUpperCase()) });
    const made = tool(async (input) => JSON.stringify(input), { ...fields, schema });
    assert.deepEqual(await (await callerOf(made)).call(ULM), ["ok", '{"days":3,"city":"ULM"}']);
  },
  "an image, an artifact and a message": async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${DOT}` } };
    const pair = tool(async () => [[{ type: "text", text: "a dot" }, image], { secret: 1 }], {
      ...fields,
      schema: city,
      responseFormat: "content_and_artifact",
    });
    const { run } = await callerOf(pair);
    const { content } = await run(ULM);
    assert.deepEqual([content[0].text, content[1].mime, content.length], ["a dot", "image/png", 2]);
    const content_ = "no such city";
    const message = async (_, { toolCall }) =>
      new ToolMessage({ content: content_, tool_call_id: toolCall.id, status: "error" });
    const failing = await callerOf(tool(message, { ...fields, schema: city }));
    assert.deepEqual(await failing.call(ULM), ["failed", "no such city"]);
  },
  "what it throws": async () => {
    const made = tool(
      async () => {
        throw new Error("no network");
      },
      { ...fields, schema: city },
    );
    assert.deepEqual(await (await callerOf(made)).call(ULM), ["failed", "`weather` failed: no network"]);
  },
  "cancel and the deadline": async () => {
    const waits = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("it was stopped"))));
    const made = tool(waits, { ...fields, schema: city });
    const late = await callerOf(made, { deadlineMs: 100 });
    assert.equal((await late.call(ULM))[0], "timed-out");
    const stopped = await callerOf(made);
    const { status } = await stopped.run(ULM, { signal: AbortSignal.timeout(100) });
    assert.equal(status, "cancelled");
  },
};

/** Calls the tool in a toolkit whose user allows everything. */
async function callerOf(made, options = {}) {
  const approver = { ask: async () => ({ by: "user", scope: "session" }) };
  const toolkit = await createToolkit({ on: "memory", tools: [fromLangChain(made, options)], approver });
  const box = toolkit.box();
  const { parameters } = box.descriptors().find(({ name }) => name === "weather");
  const run = (input, rest = {}) => box.runner.run({ id: "1", name: "weather", input }, rest);
  return {
    parameters,
    run,
    async call(input) {
      const { status, output } = await run(input);
      return [status, output];
    },
  };
}

let [passed, failed] = [0, 0];
for (const [title, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok from LangChain: ${title}`);
    passed++;
  } catch (error) {
    console.log(`not ok from LangChain: ${title}\n${error?.message ?? error}`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
