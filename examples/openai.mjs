// An agent on OpenAI's Responses API (npm install openai) that works in the current directory and asks before it does more
// than read and edit there. OPENAI_API_KEY=… node examples/openai.mjs "Which TODOs are left?"
import { createToolkit } from "haft";
import { toOpenAiResponsesTools } from "haft/openai";
import OpenAI from "openai";
import { terminalApprover } from "./ask-at-terminal.mjs";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too
const { signal } = stop;

const client = new OpenAI();
const toolkit = await createToolkit({ workspace: process.cwd(), approver: terminalApprover });
try {
  const { tools, answer } = toOpenAiResponsesTools(toolkit.box("coding"));
  const input = [{ role: "user", content: prompt }];
  for (;;) {
    const response = await client.responses.create({ model: "gpt-5", input, tools }, { signal });
    if (response.output_text !== "") console.log(response.output_text);
    const results = await answer(response.output, { signal });
    if (results.length === 0) break;
    input.push(...response.output, ...results);
  }
} finally {
  await toolkit.close();
}
