/** The roots (working directories) of a client, requested at its first call. */
import type { HandlerResultTypeMap, Server, ServerContext } from "@modelcontextprotocol/server";

/** Milliseconds that a client of the older protocol has to return its roots. */
const RESPONSE_TIMEOUT_MS = 5_000;
const KEY = "roots";

type ClientRequester = Extract<Awaited<HandlerResultTypeMap["tools/call"]>, { resultType: "input_required" }>;

/**
 * The client's roots as URIs; empty if it has none, refuses the request or lacks the capability. A client of the newer protocol
 * is asked in the response to its call, which it then repeats: that response is returned as `askBack`.
 */
export async function clientRoots(
  server: Server,
  era: "legacy" | "modern",
  context: ServerContext,
): Promise<readonly string[] | { readonly askBack: ClientRequester }> {
  const { mcpReq } = context;
  if (era === "legacy") {
    if (server.getClientCapabilities()?.roots === undefined) return [];
    const answer = await mcpReq.send({ method: "roots/list" }, { timeout: RESPONSE_TIMEOUT_MS }).catch(() => undefined);
    return answer?.roots.map((root) => root.uri) ?? [];
  }
  const { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } = await import("@modelcontextprotocol/server");
  const envelope = mcpReq.envelope as Readonly<Record<string, { readonly roots?: unknown } | undefined>> | undefined;
  if (envelope?.[CLIENT_CAPABILITIES_META_KEY]?.roots === undefined) return [];
  if (mcpReq.inputResponses === undefined && mcpReq.droppedInputResponseKeys === undefined)
    return { askBack: inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } }) };
  const view = inputResponse(mcpReq.inputResponses, KEY);
  return view.kind === "roots" ? view.roots.map((root) => root.uri) : [];
}
