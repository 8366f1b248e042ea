/** Which session a request belongs to. */
import type { ServerContext } from "@modelcontextprotocol/server";

/** A client of the newer protocol may name its conversation with this entry of a request's `_meta`. */
const SESSION_META = "haft/session";
const LONGEST_NAME = 100;

/**
 * The session id of the older protocol; else the name that the client gave, which counts only together with its
 * credential; else the credential alone. Over stdio there is one client, and its session is the process's.
 */
export function sessionKey(context: ServerContext): string {
  if (context.sessionId !== undefined) return `mcp:${context.sessionId}`;
  const client = context.http?.authInfo?.clientId;
  if (client === undefined) return "mcp:stdio";
  const name = context.mcpReq._meta?.[SESSION_META];
  return typeof name === "string" && name !== "" && name.length <= LONGEST_NAME
    ? `mcp:${client}:${name}`
    : `mcp:${client}`;
}
