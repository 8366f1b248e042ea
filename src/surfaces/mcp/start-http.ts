/** Loads the server over HTTP once it is wanted: a server over standard input and output starts without it. */
import type { HttpService, ServeHttpOptions } from "./serve-http.js";

/** Serves over HTTP on this machine. @throws `CONFIG_INVALID` when no port can be had. */
export async function serveMcpHttp(options: ServeHttpOptions): Promise<HttpService> {
  const { serveOverHttp } = await import("./serve-http.js");
  return serveOverHttp(options);
}
