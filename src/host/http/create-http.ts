/** The HTTP port of this machine. What it needs of Node.js and of packages is loaded with the first request. */
import type { Http, HttpOptions } from "../../kernel/index.js";
import type { HttpPort } from "./http-port.js";

export function createHttp(options: HttpOptions = {}): Http & {
  /** Ends all connections; what is still being received fails, and so does every later request. */
  close(): void;
} {
  const end = new AbortController();
  let loading: Promise<HttpPort> | undefined;
  const load = async () => {
    const { HttpPort } = await import("./http-port.js");
    return HttpPort.open(options, end.signal);
  };
  return Object.freeze({
    async fetch(url: string, request: Parameters<Http["fetch"]>[1]) {
      loading ??= load();
      const port = await loading;
      return port.fetch(url, request);
    },
    close: () => end.abort(),
  });
}
