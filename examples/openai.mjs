// An agent on OpenAI's Responses API (npm install openai) that works in the current directory and asks before it does more
// than read and edit there. OPENAI_API_KEY=… node examples/openai.mjs "Which TODOs are left?"
import { createInterface } from "node:readline/promises";
import { createToolkit } from "haft";
import { toOpenAiResponsesTools } from "haft/openai";
import OpenAI from "openai";

const [prompt = "What is in this directory?"] = process.argv.slice(2);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort()); // stops what the model has started, too
const { signal } = stop;

const approver = {
  async ask({ call, reason, preview, arguments: input }) {
    if (!process.stdin.isTTY) return { denied: "There is no terminal to ask at." };
    const terminal = createInterface(process.stdin, process.stderr);
    const shown = preview?.diff ?? preview?.command ?? JSON.stringify(input);
    const answer = await terminal
      .question(`${reason}\n${call.tool}: ${shown}\nAllow it? [y/N] `, { signal })
      .finally(() => terminal.close());
    return answer === "y" ? { by: "user", scope: "once" } : { denied: "The user said no." };
  },
};

const client = new OpenAI();
const toolkit = await createToolkit({ workspace: process.cwd(), approver });
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
