/** An agent of Mastra. The approver of the box asks the user. */
import { readFileSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { result, TOOLS, withErrorForm } from "../ai-sdk-words.mjs";
import { wire } from "../wires/openai-responses.mjs";

const manifest = new URL("../node_modules/@mastra/core/package.json", import.meta.url);
const isOldest = JSON.parse(readFileSync(manifest, "utf8")).version.startsWith("1.0.");

export const loop = {
  name: "mastra",
  wire: lastTurn(withErrorForm(wire)),
  packages: ["@mastra/core", "@ai-sdk/openai"],
  cannot: isOldest ? { "an unknown tool": "Mastra 1.0 ends the run" } : {},
  reads: {
    // Mastra passes {} for arguments that are not JSON.
    "truncated JSON": result("Did not run `read`: `path` is required (string)."),
    "an unknown tool": result(
      `Tool "frobnicate" not found. Available tools: ${TOOLS}. Call tools by their exact name only — never add prefixes, namespaces, or colons.`,
    ),
    ...(isOldest
      ? {
          "an image": result(
            '"dot.png": image/png, 1×1 pixels, 70 bytes.\n[image/png, 70 bytes, not shown: tool results of this API hold only text.]',
          ),
        }
      : {}),
  },

  async run({ url, box, haft, prompt, signal }) {
    const { toMastraTools } = await haft("mastra");
    const agent = new Agent({
      id: "scripted",
      name: "scripted",
      instructions: "Do what you are asked.",
      model: createOpenAI({ baseURL: url, apiKey: "none" })("scripted"),
      tools: toMastraTools(box, { images: !isOldest }),
    });
    const { text } = await agent.generate(prompt, { maxSteps: 10, abortSignal: signal });
    return text;
  },
};

/** Mastra 1.0 sends all calls of a run before their results, so the results of the last turn are found by their ids. */
function lastTurn(wire) {
  const asked = new WeakMap();
  let ids = [];
  return {
    ...wire,
    answer(turn, request) {
      asked.set(request.body, ids);
      ids = (turn.calls ?? []).map(({ id }) => id);
      return wire.answer(turn, request);
    },
    read: (body) => wire.read(body).filter(({ id }) => asked.get(body).includes(id)),
  };
}
