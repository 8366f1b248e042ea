/**
 * The MCP clients of the SDKs in one shape: `call` gives what the SDK hands on to its model, as the texts and the media types of
 * the images in it; `error` is set where the SDK reports the call as failed.
 */
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { MCPClient } from "@mastra/mcp";

export const CLIENTS = { "AI SDK": aiSdk, LangChain: langChain, Mastra: mastra };

async function aiSdk(server) {
  const client = await createMCPClient({ transport: new StdioTransport(server) });
  const tools = await client.tools();
  return {
    async call(name, input) {
      const output = await tools[name].execute(input, { toolCallId: "1", messages: [] });
      const { value } = await tools[name].toModelOutput({ toolCallId: "1", input, output });
      return {
        texts: value.filter(({ type }) => type === "text").map(({ text }) => text),
        images: value.filter(({ type }) => type !== "text").map(({ mediaType }) => mediaType),
        ...(output.isError ? { error: value.map(({ text }) => text).join("\n") } : {}),
      };
    },
    close: () => client.close(),
  };
}

async function langChain(server) {
  const client = new MultiServerMCPClient({ mcpServers: { haft: { transport: "stdio", ...server } } });
  const tools = Object.fromEntries((await client.getTools()).map((tool) => [tool.name, tool]));
  return {
    async call(name, input) {
      try {
        const { content } = await tools[name].invoke({ type: "tool_call", id: "1", name, args: input });
        const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
        return {
          texts: blocks.filter(({ type }) => type === "text").map(({ text }) => text),
          images: blocks
            .filter(({ type }) => type === "image_url")
            .map(({ image_url }) => /^data:([^;]+);base64,/.exec(image_url.url)?.[1]),
        };
      } catch (error) {
        return { texts: [], images: [], error: error.message };
      }
    },
    close: () => client.close(),
  };
}

async function mastra(server) {
  const client = new MCPClient({ servers: { haft: server } });
  const tools = await client.listTools();
  return {
    async call(name, input) {
      try {
        const answer = await tools[`haft_${name}`].execute(input, {});
        if (answer.error) return { texts: [], images: [], error: answer.message };
        // Mastra shows its model the whole answer as JSON: whatever else is in it is text for the model too.
        const { content, isError, _meta = {}, ...others } = answer;
        const extra = [...Object.keys(others), ...Object.keys(_meta).filter((key) => !key.startsWith("io."))];
        return {
          texts: [...content.filter(({ type }) => type === "text").map(({ text }) => text), ...extra],
          images: content.filter(({ type }) => type === "image").map(({ mimeType }) => mimeType),
          ...(isError ? { error: "isError" } : {}),
        };
      } catch (error) {
        return { texts: [], images: [], error: error.message };
      }
    },
    close: () => client.disconnect(),
  };
}
