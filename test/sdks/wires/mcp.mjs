/** What the stand-in for Claude Code asks: the tools as MCP lists them, the results as MCP returns them. */
import { asJson } from "../scripted-provider.mjs";

export const wire = {
  name: "mcp",
  isTurn: ({ path }) => path === "/turn",
  answer: (turn) => asJson(turn),
  read: ({ results }) =>
    results.map(({ id, result: { content, isError = false } }) => ({ id, isError, parts: content.map(partOf) })),
  offered: ({ tools }) =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
};

function partOf({ type, text, data, mimeType }) {
  return type === "image" ? { type, mime: mimeType, data } : { type, text };
}
