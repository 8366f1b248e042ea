/** Haft for clients of the Model Context Protocol: over standard input and output, and over HTTP on this machine. */
export { newToken } from "./bearer-token.js";
export { sessionToEvict } from "./fair-eviction.js";
export { MAX_REQUEST_BYTES } from "./http-limits.js";
export type { McpCalls, McpServerOptions } from "./mcp-server.js";
export type { HttpService, ServeHttpOptions } from "./serve-http.js";
export { type ServeStdioOptions, type StdioEnd, serveMcpStdio } from "./serve-stdio.js";
export type { McpSession } from "./session-key.js";
export { serveMcpHttp } from "./start-http.js";
