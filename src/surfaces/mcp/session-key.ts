/** Which session a request belongs to. */
import type { ServerContext } from "@modelcontextprotocol/server";

/** A client of the newer protocol may name its conversation with this entry of a request's `_meta`. */
const SESSION_META = "haft/session";
const LONGEST_NAME = 100;

/** One conversation of one client. */
export interface McpSession {
  /** Unlike that of any other client's conversation. */
  readonly key: string;
  /** The credential that it belongs to, as a short name that does not give it away; "stdio" where there is only one client. */
  readonly client: string;
  /** Whether the client can name it again once this server has ended. */
  readonly isLasting: boolean;
}

/**
 * The session id of the older protocol; else the name that the client gave; else the credential alone; the first two count
 * only together with the credential. Over stdio there is one client, and its session is the process's.
 */
export function sessionOf(context: ServerContext): McpSession {
  const { clientId: client, extra } = context.http?.authInfo ?? {};
  if (client === undefined) return STDIO;
  if (context.sessionId !== undefined) return { key: legacyKey(client, context.sessionId), client, isLasting: false };
  const name = context.mcpReq._meta?.[SESSION_META];
  const isNamed = typeof name === "string" && name !== "" && name.length <= LONGEST_NAME;
  return { key: isNamed ? `mcp:${client}:${name}` : `mcp:${client}`, client, isLasting: extra?.isLasting === true };
}

/** The key of a session of the older protocol. */
export function legacyKey(client: string, sessionId: string): string {
  return `mcp:${client}:${sessionId}`;
}

const STDIO: McpSession = Object.freeze({ key: "mcp:stdio", client: "stdio", isLasting: false });
