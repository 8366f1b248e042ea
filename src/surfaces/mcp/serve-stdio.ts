/** Haft as an MCP server over stdio: one client, one session. */
import { withObjectArguments } from "./call-arguments.js";
import { type McpCalls, type McpServerOptions, mcpServers } from "./mcp-server.js";
import { OpenRequests, refusalOf } from "./message-refusal.js";
import { RunningCalls } from "./running-calls.js";
import { lineInput, MAX_MESSAGE_BYTES } from "./stdio-lines.js";
import { claimStdout } from "./stdio-wire.js";

/** How often to check that the parent process exists. */
const PARENT_CHECK_MS = 500;

export interface ServeStdioOptions extends McpServerOptions {
  readonly calls: McpCalls;
  /** Aborting it stops the server. */
  readonly signal: AbortSignal;
  /** Errors outside of a call, for the operator. */
  onProblem(error: Error): void;
}

/** Why serving ended. */
export type StdioEnd = "input ended" | "connection closed" | "parent gone" | "stopped";

/**
 * Serves until stdin ends, the client's process is gone or `signal` fires. A line that is not a message is answered with an
 * error. At the end, running calls are cancelled with everything they started; their results are sent only if `signal` fired
 * and the client is still connected. Resolves with the reason once the connection is closed; the calls may take some seconds
 * more to end.
 */
export async function serveMcpStdio(options: ServeStdioOptions): Promise<StdioEnd> {
  const { calls, signal, onProblem } = options;
  const wire = claimStdout();
  const running = new RunningCalls();
  const [{ serveStdio, StdioServerTransport }, serverFor] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    mcpServers(options, running),
  ]);
  const refuse = (answer: object) => void wire.output.write(`${JSON.stringify(answer)}\n`);
  const lines = lineInput(process.stdin, refuse);
  const transport = new StdioServerTransport(lines.stdin, wire.output, { maxBufferSize: MAX_MESSAGE_BYTES });
  let unwatch = (): void => {};
  let onClosed = (): void => {};
  const ended = new Promise<StdioEnd>((resolve) => {
    onClosed = () => resolve("connection closed");
    for (const event of ["end", "close", "error"]) process.stdin.once(event, () => resolve("input ended"));
    wire.output.once("error", () => resolve("input ended"));
    signal.addEventListener("abort", () => resolve("stopped"), { once: true });
    if (signal.aborted) resolve("stopped");
    unwatch = watchParent(() => resolve("parent gone"));
  });
  const onerror = (error: Error) => {
    const current = lines.current();
    const answer = current === undefined ? undefined : refusalOf(current);
    if (answer !== undefined) refuse(answer);
    onProblem(error);
  };
  const handle = serveStdio(({ era }) => serverFor(era, calls), { transport, onerror });
  const deliver = transport.onmessage;
  const open = new OpenRequests();
  transport.onmessage = (message) => {
    const answer = open.received(message);
    if (answer === undefined) deliver?.(withObjectArguments(message));
    else refuse(answer);
  };
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    open.sent(message);
    return send(message);
  };
  const closeServer = transport.onclose;
  transport.onclose = () => {
    closeServer?.();
    onClosed();
  };
  const reason = await ended;
  unwatch();
  if (reason === "stopped") await running.stop();
  await handle.close();
  wire.release();
  return reason;
}

/**
 * Calls `onGone` once when the parent process has ended. A closed standard input says so in most cases; this is for those
 * where another process still holds the other end of the pipe. Returns the end of the watch.
 */
function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
