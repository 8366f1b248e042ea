/** One MCP server instance over a box of tools: list, call, and the artifacts of the session. */
import type { CallToolRequest, Server, ServerContext, Tool } from "@modelcontextprotocol/server";
import {
  type Artifacts,
  type DefinedTool,
  messageOf,
  type RunOptions,
  type ToolCall,
  type ToolOutcome,
} from "../../kernel/index.js";
import { artifactPage, artifactTemplates, artifactWindow, readArtifactWindow } from "./artifact-resources.js";
import { callResult, refusedResult, STRUCTURED_META } from "./call-result.js";
import { clientRoots } from "./client-roots.js";
import { progressOf } from "./progress.js";
import type { RunningCalls } from "./running-calls.js";
import { type McpSession, sessionOf } from "./session-key.js";

/** What serves the calls of one client. */
export interface McpCalls {
  /** Runs one call in the session, a new one if need be. Rejects with a sentence for the model when it cannot begin. */
  run(call: Omit<ToolCall, "id">, options: RunOptions, session: McpSession): Promise<ToolOutcome>;
  /** What was kept of the outputs of the session; undefined where there is nothing yet. Absent: there are no resources. */
  artifacts?(session: McpSession): Promise<Artifacts | undefined>;
  /** The session of this key has ended and will not be named again. */
  end?(key: string): void;
  /** The client's token was taken back: what its sessions left running is to end. */
  endOf?(client: string): void;
  /** Takes the client's folders, file URLs, once, before its first call runs; undefined when nobody needs them any more. */
  takeRoots?: ((roots: readonly string[]) => void) | undefined;
  /** The client's folders have changed: they are wanted again. */
  rootsChanged?(): void;
}

export interface McpServerOptions {
  readonly version: string;
  /** In the order in which they are listed. */
  readonly tools: readonly DefinedTool[];
  /** Tools that are listed after them, once they are there; whoever gives them sees to it that they come in time. */
  more?(): Promise<readonly DefinedTool[]>;
  /** Takes what is to be called when `more` would give others: clients of the older protocols that are connected are told. */
  onMoreChange?(notifyClients: () => void): void;
  /** Whether results carry facts in `_meta` where the request does not ask for them. Default false. */
  readonly facts?: boolean;
}

export type ServerFor = (era: "legacy" | "modern", calls: McpCalls) => Server;

/**
 * Makes the server instances that the SDK asks for: one for a connection or a request. The SDK is loaded here, so a command
 * that serves nothing does not pay for it. Cancelling a request, or closing its connection where the protocol takes that
 * for a cancel, ends the call with all that it started; `running` ends them all.
 */
export async function mcpServers(options: McpServerOptions, running: RunningCalls): Promise<ServerFor> {
  const { Server, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } = await import(
    "@modelcontextprotocol/server"
  );
  const tools = options.tools.map(listed);
  const live = new Set<Server>();
  // A client that has gone is told nothing.
  options.onMoreChange?.(() => live.forEach((server) => void server.sendToolListChanged().catch(() => {})));
  const listing = options.onMoreChange === undefined ? {} : { listChanged: true };
  const identity = { name: "haft", title: "Haft", version: options.version };
  return (era, calls) => {
    const resources = calls.artifacts === undefined ? {} : { resources: {} };
    const server = new Server(identity, {
      capabilities: { tools: listing, ...resources },
      instructions: instructionsFor(options, calls),
    });
    if (era === "legacy" && options.onMoreChange !== undefined) {
      live.add(server);
      server.onclose = () => live.delete(server);
    }
    server.setRequestHandler("tools/list", async () => {
      const more = (await options.more?.()) ?? [];
      return { tools: more.length === 0 ? tools : [...tools, ...more.map(listed)] };
    });
    server.setRequestHandler("tools/call", async (request, context) => {
      const { takeRoots } = calls;
      if (takeRoots !== undefined) {
        const roots = await clientRoots(server, era, context);
        if ("askBack" in roots) return roots.askBack;
        takeRoots(roots);
      }
      return serveCall(calls, request, context, running, options.facts === true);
    });
    const { rootsChanged } = calls;
    if (rootsChanged !== undefined && era === "legacy")
      server.setNotificationHandler("notifications/roots/list_changed", () => rootsChanged());
    if (calls.artifacts !== undefined) serveArtifacts(server, calls.artifacts);
    return server;
  };

  function serveArtifacts(server: Server, artifactsOf: NonNullable<McpCalls["artifacts"]>): void {
    server.setRequestHandler("resources/templates/list", () => artifactTemplates());
    server.setRequestHandler("resources/list", async ({ params }, context) => {
      const artifacts = await artifactsOf(sessionOf(context));
      return artifactPage((await artifacts?.list()) ?? [], params?.cursor);
    });
    server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
      const window = artifactWindow(uri);
      if (typeof window === "string") throw new ProtocolError(ProtocolErrorCode.InvalidParams, window);
      const artifacts = await artifactsOf(sessionOf(context));
      const read = window && artifacts && (await readArtifactWindow(artifacts, window));
      if (read === "evicted")
        throw new ResourceNotFoundError(
          uri,
          `Did not read "${uri}": it gave way to newer artifacts. Run the call again.`,
        );
      if (read === undefined)
        throw new ResourceNotFoundError(
          uri,
          `Did not read "${uri}": this session has no such artifact. \`resources/list\` names those it has.`,
        );
      return read;
    });
  }
}

/** What holds for the tools of every dialect and collection; each client pays for it in every conversation. */
function instructionsFor(options: McpServerOptions, calls: McpCalls): string {
  return [
    "These tools work in one directory, the workspace; relative paths start there.",
    "A long output is truncated; the result then says what was omitted and how to get the rest.",
    ...(calls.artifacts === undefined
      ? []
      : ["Whole outputs are kept as resources of this server (`artifact:///ID`)."]),
    ...(options.more === undefined ? [] : ["A tool named `server__tool` belongs to another MCP server."]),
  ].join(" ");
}

async function serveCall(
  calls: McpCalls,
  { params }: CallToolRequest,
  context: ServerContext,
  running: RunningCalls,
  hasFacts: boolean,
): Promise<ReturnType<typeof callResult>> {
  const { mcpReq } = context;
  const token = mcpReq._meta?.progressToken;
  const progress = token === undefined ? undefined : progressOf(token, (one) => mcpReq.notify(one));
  const call = running.begin(mcpReq.signal);
  try {
    const outcome = await calls.run(
      { name: params.name, input: params.arguments ?? {} },
      { signal: call.signal, ...(progress === undefined ? {} : { onEvent: progress.onEvent }) },
      sessionOf(context),
    );
    return callResult(outcome, hasFacts || mcpReq._meta?.[STRUCTURED_META] === true);
  } catch (error) {
    return refusedResult(messageOf(error));
  } finally {
    progress?.end();
    call.done();
  }
}

function listed(tool: DefinedTool): Tool {
  const { name, description, parameters } = tool.descriptor();
  const { title, destructive, idempotent, openWorld } = tool.annotations;
  const annotations = {
    ...(tool.effect === "write" ? {} : { readOnlyHint: true }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: { type: "object", ...parameters },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}
