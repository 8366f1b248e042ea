/**
 * Whether each SDK accepts the schemas of `providerSchema` and hands them on unchanged: those of Haft's tools and one of another
 * server. `node play-schemas.mjs DIST`. Ends with `N passed, M failed`.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GoogleGenAI } from "@google/genai";
import { tool as langChainTool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { tool as agentsTool } from "@openai/agents";
import { asSchema, jsonSchema } from "ai";
import { toStrictJsonSchema } from "openai/lib/transform";

const [dist] = process.argv.slice(2);
const { createToolkit, providerSchema } = await import(pathToFileURL(join(dist, "index.js")).href);

/** What generators of other servers write. */
const FOREIGN = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  title: "Arguments",
  properties: {
    filter: { $ref: "#/$defs/Filter" },
    maybe: { anyOf: [{ $ref: "#/$defs/Filter" }, { type: "null" }], default: null },
    tags: { type: ["array", "null"], items: { type: "string", minLength: 1 } },
    env: { type: "object", additionalProperties: { type: "string" } },
    when: { type: "string", format: "date-time" },
    link: { type: "string", format: "uri", pattern: "^(?!ftp)" },
    pair: { type: "array", items: [{ type: "string" }, { type: "integer" }] },
    level: { type: "integer", enum: [1, 2, 3] },
    pet: {
      oneOf: [
        { type: "object", properties: { kind: { const: "cat" }, lives: { type: "integer" } }, required: ["kind"] },
        { type: "object", properties: { kind: { const: "dog" } }, required: ["kind"] },
      ],
    },
    "page[size]": { type: "integer", exclusiveMinimum: 0 },
    anything: {},
  },
  required: ["filter"],
  $defs: {
    Filter: {
      type: "object",
      properties: { name: { type: "string" }, all: { type: "array", items: { $ref: "#/$defs/Filter" } } },
      required: ["name"],
    },
  },
};

const toolkit = await createToolkit({ workspace: process.cwd(), persist: false });
const tools = toolkit.box("all").descriptors(["local", "ssh:build@host"]);
await toolkit.close();
tools.push({ name: "foreign", description: "A tool of another server.", parameters: FOREIGN });

const offeredFor = (provider) =>
  tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: providerSchema(parameters, provider).schema,
  }));

const checks = {
  "OpenAI: the strict schemas are strict already": () => {
    for (const { parameters } of offeredFor("openai-strict")) {
      assert.deepEqual(toStrictJsonSchema(parameters), parameters);
    }
  },
  "OpenAI Agents SDK: a strict tool keeps its schema": () => {
    for (const one of offeredFor("openai-strict")) {
      const made = agentsTool({ ...one, strict: true, execute: () => "" });
      assert.deepEqual([made.strict, made.parameters], [true, one.parameters]);
    }
  },
  "LangChain: a tool for OpenAI keeps its schema": () => {
    for (const { name, description, parameters } of offeredFor("openai")) {
      const made = convertToOpenAITool(langChainTool(() => "", { name, description, schema: parameters }));
      assert.deepEqual(made.function.parameters, parameters);
    }
  },
  "AI SDK: a schema stays what it is": async () => {
    for (const provider of ["openai", "openai-strict", "anthropic", "google-json-schema"]) {
      for (const { parameters } of offeredFor(provider)) {
        assert.deepEqual(await asSchema(jsonSchema(parameters)).jsonSchema, parameters);
      }
    }
  },
  "Google: `parameters` arrive unchanged": () => arrives("google", "parameters"),
  "Google: `parametersJsonSchema` arrives unchanged": () => arrives("google-json-schema", "parametersJsonSchema"),
};

/** Offers the tools through the SDK to a server and compares what arrives. */
async function arrives(provider, field) {
  let body = "";
  const server = createServer(async (request, response) => {
    for await (const chunk of request) body += chunk;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text: "ok" }] } }] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const baseUrl = `http://127.0.0.1:${server.address().port}`;
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } });
    const offered = offeredFor(provider).map(({ parameters, ...one }) => ({ ...one, [field]: parameters }));
    const config = { tools: [{ functionDeclarations: structuredClone(offered) }] };
    await client.models.generateContent({ model: "gemini-3-flash", contents: "Hi", config });
    assert.deepEqual(JSON.parse(body).tools[0].functionDeclarations, offered);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

let [passed, failed] = [0, 0];
for (const [title, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok ${title}`);
    passed++;
  } catch (error) {
    console.log(`not ok ${title}\n${String(error?.message ?? error).slice(0, 3000)}`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
