/** Which session a request belongs to. */
import type { ServerContext } from "@modelcontextprotocol/server";

/** A client of the newer protocol may name its conversation with this entry of a request's `_meta`. */
const SESSION_META = "haft/session";
/** A user may set it in the client's configuration, with either protocol: every connection then gets the same session. */
const SESSION_HEADER = "haft-session";
const MAX_NAME_CHARACTERS = 100;

/** One conversation of one client. */
export interface McpSession {
  /** Unique among all clients. */
  readonly key: string;
  /** A short name of its credential that does not reveal it; "stdio" if there is only one client. */
  readonly client: string;
  /** Whether the client can resume it with a later server, or with another one. */
  readonly isLasting: boolean;
  /**
   * Whose memories and schedules it uses: the name of the client, whatever its token; null: those of the user of this machine, who
   * has started the server. Absent: of its credential alone.
   */
  readonly stateOwner?: string | null;
}

/**
 * The name in the header, which a user has set; else the session id of the older protocol; else the name that the client
 * gave; else the credential alone. A name belongs to one credential: clients with other credentials cannot use it. Over
 * stdio there is one client with one session.
 */
export function sessionOf(context: ServerContext): McpSession {
  const { clientId: client, extra } = context.http?.authInfo ?? {};
  if (client === undefined) return STDIO;
  const isLasting = extra?.isLasting === true;
  const of = { client, ...stateOwnerOf(extra?.stateOwner) };
  const set = nameOf(context.http?.req?.headers.get(SESSION_HEADER));
  if (set === undefined && context.sessionId !== undefined)
    return { key: legacyKey(client, context.sessionId), ...of, isLasting: isLasting && extra?.isShared === true };
  const name = set ?? nameOf(context.mcpReq._meta?.[SESSION_META]);
  return { key: name === undefined ? `mcp:${client}` : `mcp:${client}:${name}`, ...of, isLasting };
}

function stateOwnerOf(value: unknown): Pick<McpSession, "stateOwner"> {
  return typeof value === "string" || value === null ? { stateOwner: value } : {};
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME_CHARACTERS ? value : undefined;
}

/** The key of a session of the older protocol. */
export function legacyKey(client: string, sessionId: string): string {
  return `mcp:${client}:${sessionId}`;
}

const STDIO: McpSession = Object.freeze({ key: "mcp:stdio", client: "stdio", isLasting: false });
