/** An agent of LangChain with OpenAI's responses API. */
import { createRequire } from "node:module";
import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { DOT } from "../situations.mjs";
import { wire } from "../wires/openai-responses.mjs";

const { version } = createRequire(import.meta.url)("@langchain/core/package.json");
const isOld = version.startsWith("0.");
const IMAGE_BLOCKS = [
  { type: "text", text: '"dot.png": image/png, 1×1 pixels, 70 bytes.' },
  { type: "image_url", image_url: { url: `data:image/png;base64,${DOT}` } },
];

// LangChain 1 has createAgent, 0.3 the agent of LangGraph.
const createAgent = await import("langchain").then(
  ({ createAgent }) => createAgent,
  async () => {
    const { createReactAgent } = await import("@langchain/langgraph/prebuilt");
    return ({ model, tools }) => createReactAgent({ llm: model, tools });
  },
);

export const loop = {
  name: "langchain",
  wire,
  reads: {
    "an unknown tool": [
      [
        {
          id: "call_1",
          parts: [
            {
              type: "text",
              text: isOld
                ? 'Error: Tool "frobnicate" not found.\n Please fix your mistakes.'
                : "Error: frobnicate is not a valid tool, try one of [read, ls, grep, find, write, edit, move, delete, bash, process, todo_set, todo_read, time, webfetch, websearch, http_request, cron_add, cron_list, cron_remove, cron_update, cron_run, cron_runs, memory_store, memory_recall, memory_forget, echo, nothing, boom, wait].",
            },
          ],
        },
      ],
    ],
    // LangChain sets such a call aside (invalid_tool_calls), so that its agent ends.
    "truncated JSON": [],
    // The model of that major sends blocks as JSON.
    ...(isOld
      ? { "an image": [[{ id: "call_1", parts: [{ type: "text", text: JSON.stringify(IMAGE_BLOCKS) }] }]] }
      : {}),
  },
  finals: { "truncated JSON": "" },
  async run({ url, box, haft, prompt, signal }) {
    const { toLangChainTools } = await haft("langchain");
    const tools = toLangChainTools(box, { DynamicStructuredTool, ToolMessage });
    const model = new ChatOpenAI({
      model: "gpt-test",
      apiKey: "none",
      useResponsesApi: true,
      configuration: { baseURL: url },
      maxRetries: 0,
    });
    const agent = createAgent({ model, tools });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: prompt }] }, { signal });
    return messages.at(-1).text;
  },
};
