/** One MCP server instance over a box of tools: list and call. */
import type { CallToolRequest, Server, ServerContext, Tool } from "@modelcontextprotocol/server";
import { type DefinedTool, messageOf, type RunOptions, type ToolCall, type ToolOutcome } from "../../kernel/index.js";
import { callResult, refusedResult } from "./call-result.js";
import { clientRoots } from "./client-roots.js";
import { progressOf } from "./progress.js";
import { sessionKey } from "./session-key.js";

/** What serves the calls of one client. */
export interface McpCalls {
  /** Runs one call in the named session, a new one if need be. Rejects with a sentence for the model when it cannot begin. */
  run(call: Omit<ToolCall, "id">, options: RunOptions, session: string): Promise<ToolOutcome>;
  /** A session has ended and will not be named again. */
  end?(session: string): void;
  /** Takes the client's folders, file URLs, once, before its first call runs; undefined when nobody needs them any more. */
  takeRoots?: ((roots: readonly string[]) => void) | undefined;
}

export interface McpServerOptions {
  readonly version: string;
  /** In the order in which they are listed. */
  readonly tools: readonly DefinedTool[];
}

export type ServerFor = (era: "legacy" | "modern", calls: McpCalls) => Server;

/**
 * Makes the server instances that the SDK asks for: one for a connection or a request. The SDK is loaded here, so a command
 * that serves nothing does not pay for it. Cancelling a request, or closing its connection where the protocol takes that
 * for a cancel, ends the call with all that it started.
 */
export async function mcpServers(options: McpServerOptions): Promise<ServerFor> {
  const { Server } = await import("@modelcontextprotocol/server");
  const tools = options.tools.map(listed);
  const identity = { name: "haft", title: "Haft", version: options.version };
  return (era, calls) => {
    const server = new Server(identity, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("tools/call", async (request, context) => {
      const { takeRoots } = calls;
      if (takeRoots !== undefined) {
        const roots = await clientRoots(server, era, context);
        if ("askBack" in roots) return roots.askBack;
        takeRoots(roots);
      }
      return serveCall(calls, request, context);
    });
    return server;
  };
}

async function serveCall(calls: McpCalls, { params }: CallToolRequest, context: ServerContext) {
  const { mcpReq } = context;
  const token = mcpReq._meta?.progressToken;
  const progress = token === undefined ? undefined : progressOf(token, (one) => mcpReq.notify(one));
  try {
    const outcome = await calls.run(
      { name: params.name, input: params.arguments ?? {} },
      { signal: mcpReq.signal, ...(progress === undefined ? {} : { onEvent: progress.onEvent }) },
      sessionKey(context),
    );
    return callResult(outcome);
  } catch (error) {
    return refusedResult(messageOf(error));
  } finally {
    progress?.end();
  }
}

function listed(tool: DefinedTool): Tool {
  const { name, description, parameters } = tool.descriptor();
  const { destructive, idempotent, openWorld } = tool.annotations;
  const annotations = {
    ...(tool.effect === "act" ? {} : { readOnlyHint: true }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
  return {
    name,
    description,
    inputSchema: { type: "object", ...parameters },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}
