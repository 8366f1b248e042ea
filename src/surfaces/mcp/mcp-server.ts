/** One MCP server instance over a box of tools: list, call, and the artifacts of the session. */
import type { CallToolRequest, HandlerResultTypeMap, Server, ServerContext, Tool } from "@modelcontextprotocol/server";
import {
  type ApprovalDecision,
  type Approver,
  type DefinedTool,
  messageOf,
  type RunOptions,
  type State,
  type ToolCall,
  type ToolOutcome,
} from "../../kernel/index.js";
import {
  artifactPage,
  artifactTemplates,
  artifactWindow,
  readArtifactWindow,
  type ShownArtifacts,
} from "./artifact-resources.js";
import { callResult, refusedResult, STRUCTURED_META } from "./call-result.js";
import {
  APPROVAL_KEY,
  approvalForm,
  asksByResult,
  canElicit,
  clientUser,
  elicitingApprover,
  IssuedForms,
} from "./elicitation.js";
import { progressOf } from "./progress.js";
import { clientRoots } from "./request-roots.js";
import type { RunningCalls } from "./running-calls.js";
import { type McpSession, sessionOf } from "./session-key.js";

/** How one call runs. */
export interface McpRunOptions extends RunOptions {
  /** Asks the user of the client. Absent: the client cannot ask. */
  readonly approver?: Approver;
}

/** What serves the calls of one client. */
export interface McpCalls {
  /** Runs one call in the session, creating it if needed. Rejects with a message for the model when the call cannot start. */
  run(call: Omit<ToolCall, "id">, options: McpRunOptions, session: McpSession): Promise<ToolOutcome>;
  /** Decides on the stored request of a call that ended as "input-required". */
  decide?(token: string, decision: ApprovalDecision): Promise<boolean>;
  /** The stored outputs of the session; undefined if there are none. Absent: the server has no resources. */
  artifacts?(session: McpSession): Promise<ShownArtifacts | undefined>;
  /** Called when the session of this key has ended here. With `forgets` it will not be used again; else another server may have it. */
  end?(key: string, forgets: boolean): void;
  /** Called when the client's token was revoked: background work of its sessions must end. */
  endOf?(client: string): void;
  /** Receives the client's roots (file URLs) once, before its first call runs; undefined if they are not needed. */
  takeRoots?: ((roots: readonly string[]) => void) | undefined;
  /** Called when the client's roots have changed: they are requested again. */
  rootsChanged?(): void;
}

/** What a client is shown of a tool. */
export type ListedTool = Pick<DefinedTool, "effect" | "annotations" | "descriptor">;

export interface McpServerOptions {
  /** Default "haft". */
  readonly name?: string;
  readonly version: string;
  /** In listing order. */
  readonly tools: readonly ListedTool[];
  /** The names of the targets, the default first. With several, each tool is listed with the parameter `on`. */
  readonly targets?: readonly string[];
  /** What the instructions say about the targets, after the rest. Default: nothing. */
  readonly targetInstructions?: string;
  /** Tools listed after `tools`, once available. The provider limits the wait. */
  more?(): Promise<readonly ListedTool[]>;
  /** Registers a callback for changes of `more`; connected clients of older protocols are then notified. */
  onMoreChange?(notifyClients: () => void): void;
  /** Whether results include structured data in `_meta` without a request for it. Default false. */
  readonly facts?: boolean;
  /** The state that servers on other hosts use too: each then answers for all. Absent: this server is alone. */
  shared?(): Promise<State>;
}

export type ServerFor = (era: "legacy" | "modern", calls: McpCalls) => Server;

/**
 * Creates server instances for the SDK, one per connection or request. The SDK is loaded here, so that other commands start
 * without it. Cancelling a request, or closing its connection where the protocol defines that as a cancel, ends the call and
 * everything it started; `running` ends all calls.
 */
export async function mcpServers(options: McpServerOptions, running: RunningCalls): Promise<ServerFor> {
  const { Server, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } = await import(
    "@modelcontextprotocol/server"
  );
  const { targets = [] } = options;
  const listed = (tool: ListedTool) => listedTool(tool, targets);
  const tools = options.tools.map(listed);
  const live = new Set<Server>();
  const { shared } = options;
  const forms = new IssuedForms(shared && (async () => (await shared()).documents("mcp-forms")));
  // A notification to a disconnected client fails, which is ignored.
  options.onMoreChange?.(() => live.forEach((server) => void server.sendToolListChanged().catch(() => {})));
  const listing = options.onMoreChange === undefined ? {} : { listChanged: true };
  const identity = { name: options.name ?? "haft", title: "Haft", version: options.version };
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
      const asker = await askerOf(server, era, context);
      return serveCall(calls, request, context, { running, hasFacts: options.facts === true, forms, asker });
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
          `Did not read "${uri}": it was deleted to make room for newer artifacts. Run the call again.`,
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

/** Instructions that apply to every dialect and collection. Kept short: they are part of every conversation. */
function instructionsFor(options: McpServerOptions, calls: McpCalls): string {
  const common = [
    "These tools work in one directory, the workspace; relative paths start there.",
    "A long output is truncated; the result then says what was omitted and how to get the rest.",
    ...(calls.artifacts === undefined
      ? []
      : ["Whole outputs are kept as resources of this server (`artifact:///ID`)."]),
    ...(options.more === undefined ? [] : ["A tool named `server__tool` belongs to another MCP server."]),
  ].join(" ");
  return options.targetInstructions === undefined ? common : `${common}\n${options.targetInstructions}`;
}

/** How the user of this client is asked; undefined where the client shows no forms. */
interface Asker {
  readonly by: string;
  readonly approver: Approver;
}

async function askerOf(server: Server, era: "legacy" | "modern", context: ServerContext): Promise<Asker | undefined> {
  if (era === "legacy") {
    if (!canElicit(server.getClientCapabilities())) return undefined;
    const by = clientUser(server.getClientVersion());
    return { by, approver: elicitingApprover(context, by) };
  }
  const { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } = await import("@modelcontextprotocol/server");
  const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope };
  if (!canElicit(envelope[CLIENT_CAPABILITIES_META_KEY])) return undefined;
  return { by: clientUser(envelope[CLIENT_INFO_META_KEY]), approver: asksByResult };
}

interface Serving {
  readonly running: RunningCalls;
  readonly hasFacts: boolean;
  readonly forms: IssuedForms;
  readonly asker: Asker | undefined;
}

async function serveCall(
  calls: McpCalls,
  { params }: CallToolRequest,
  context: ServerContext,
  { running, hasFacts, forms, asker }: Serving,
): Promise<HandlerResultTypeMap["tools/call"]> {
  const { mcpReq } = context;
  const session = sessionOf(context);
  const token = mcpReq._meta?.progressToken;
  const progress = token === undefined ? undefined : progressOf(token, (one) => mcpReq.notify(one));
  const call = running.begin(mcpReq.signal);
  try {
    const resume = asker?.approver === asksByResult ? await decided(calls, context, forms, asker.by) : undefined;
    const outcome = await calls.run(
      { name: params.name, input: params.arguments ?? {}, ...(resume === undefined ? {} : { resume }) },
      {
        signal: call.signal,
        ...(progress === undefined ? {} : { onEvent: progress.onEvent }),
        ...(asker === undefined ? {} : { approver: asker.approver }),
      },
      session,
    );
    if (outcome.inputRequired !== undefined && asker?.approver === asksByResult) {
      const { inputRequired } = await import("@modelcontextprotocol/server");
      const form = inputRequired.elicit(approvalForm(outcome.inputRequired));
      const requestState = await forms.issue(outcome.inputRequired, session.key);
      return inputRequired({ inputRequests: { [APPROVAL_KEY]: form }, requestState });
    }
    return callResult(outcome, hasFacts || mcpReq._meta?.[STRUCTURED_META] === true);
  } catch (error) {
    return refusedResult(messageOf(error));
  } finally {
    progress?.end();
    call.done();
  }
}

/** The token of the stored request that this call answers, after what the user decided is stored. */
async function decided(
  calls: McpCalls,
  context: ServerContext,
  forms: IssuedForms,
  by: string,
): Promise<string | undefined> {
  const { mcpReq } = context;
  const { inputResponse } = await import("@modelcontextprotocol/server");
  const view = inputResponse(mcpReq.inputResponses, APPROVAL_KEY);
  const answered = await forms.answered(mcpReq.requestState(), sessionOf(context).key, view, by);
  if (answered === undefined) return undefined;
  await calls.decide?.(answered.token, answered.decision);
  return answered.token;
}

function listedTool(tool: ListedTool, targets: readonly string[]): Tool {
  const { name, description, parameters } = tool.descriptor(targets);
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
