/** Tools that the AI SDK makes, called through a toolkit: `node play-from-ai-sdk.mjs DIST`. Ends with `N passed, M failed`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { asSchema, dynamicTool, jsonSchema, tool, zodSchema } from "ai";
import { z } from "zod";

const [dist] = process.argv.slice(2);
const load = (entry) => import(pathToFileURL(join(dist, entry)).href);
const { createToolkit } = await load("index.js");
const { fromAiSdk } = await load("adapters/ai-sdk.js");

const description = "The weather of a city.";
const city = z.object({ city: z.string() });
const cityJson = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const execute = async ({ city }) => `${city} is sunny`;
const schemas = { zod: city, "zodSchema()": zodSchema(city), "jsonSchema()": jsonSchema(cityJson) };

const checks = {
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, inputSchema]) => [
      `a tool with the schema of ${name}`,
      async () => {
        const call = await callerOf(tool({ description, inputSchema, execute }));
        assert.deepEqual(await call({ city: "Ulm" }), ["ok", "Ulm is sunny"]);
        assert.equal((await call({}))[0], "invalid");
      },
    ]),
  ),
  "a schema that is a promise": async () => {
    const later = tool({ description, inputSchema: jsonSchema(Promise.resolve(cityJson)), execute });
    assert.throws(() => fromAiSdk("weather", later), /promise\. Pass it/);
    const parameters = await asSchema(later.inputSchema).jsonSchema;
    assert.deepEqual(await (await callerOf(later, { parameters }))({ city: "Ulm" }), ["ok", "Ulm is sunny"]);
  },
  "a dynamic tool with several outputs and a form for the model": async () => {
    const made = dynamicTool({
      description,
      inputSchema: city,
      async *execute() {
        yield "loading";
        yield "sunny";
      },
      toModelOutput: ({ output }) => ({ type: "content", value: [{ type: "text", text: `It is ${output}.` }] }),
    });
    assert.deepEqual(await (await callerOf(made))({ city: "Ulm" }), ["ok", "It is sunny."]);
  },
  "a tool that demands approvals": async () => {
    const made = tool({ description, inputSchema: city, execute, needsApproval: ({ city }) => city !== "Ulm" });
    const asked = [];
    const call = await callerOf(made, {}, asked);
    for (const name of ["Ulm", "Bonn", "Ulm", "Bonn"]) assert.equal((await call({ city: name }))[0], "ok");
    assert.deepEqual(asked, ["foreign-tool", "tool-approval", "tool-approval"]);
  },
};

/** Calls the tool in a toolkit whose user allows everything for the session. */
async function callerOf(made, options = {}, asked = []) {
  const approver = {
    async ask({ rule }) {
      asked.push(rule);
      return { by: "user", scope: "session" };
    },
  };
  const toolkit = await createToolkit({ on: "memory", tools: [fromAiSdk("weather", made, options)], approver });
  const { runner } = toolkit.box();
  return async (input) => {
    const { status, output } = await runner.run({ id: "1", name: "weather", input });
    return [status, output];
  };
}

let [passed, failed] = [0, 0];
for (const [title, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok from the AI SDK: ${title}`);
    passed++;
  } catch (error) {
    console.log(`not ok from the AI SDK: ${title}\n${error?.message ?? error}`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
