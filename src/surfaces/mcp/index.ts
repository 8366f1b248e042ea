/** Haft for clients of the Model Context Protocol: over standard input and output, and over HTTP on this machine. */
import type { HttpService, ServeHttpOptions } from "./serve-http.js";

export { newToken } from "./bearer-token.js";
export { MAX_SESSIONS, sessionToEvict } from "./fair-eviction.js";
export { MAX_REQUEST_BYTES } from "./http-limits.js";
export type { McpCalls, McpServerOptions } from "./mcp-server.js";
export type { HttpService, ServeHttpOptions } from "./serve-http.js";
export { type ServeStdioOptions, type StdioEnd, serveMcpStdio } from "./serve-stdio.js";
export type { McpSession } from "./session-key.js";

/**
 * Serves over HTTP on this machine. Its code is loaded by the first call, so that a server over stdio starts without it.
 *
 * @throws `CONFIG_INVALID` if no port is free.
 */
export async function serveMcpHttp(options: ServeHttpOptions): Promise<HttpService> {
  const { startHttpService } = await import("./serve-http.js");
  return startHttpService(options);
}
