/** The connection to one other MCP server: made, made again after a crash, and ended. */
import type {
  Client,
  Progress,
  StandardSchemaV1,
  StreamableHTTPClientTransport,
  Transport,
} from "@modelcontextprotocol/client";
import { systemClock } from "../host/index.js";
import { fail, messageOf, type ToolContext, type ToolResult, withTimeout } from "../kernel/index.js";
import { cleanText } from "./clean-text.js";
import type { ProgramTransport } from "./program-transport.js";
import { serverResult } from "./server-result.js";
import { MAX_TOOLS } from "./server-tools.js";

/** Milliseconds for the first words and the list of tools, each. */
const CONNECT_MS = 30_000;
const TERMINATE_MS = 1_000;
const MAX_PAGES = 64;
/** The newest protocol; asked for where a server refuses the older ones. */
const NEWEST = "2026-07-28";
/** A server that ends more often than this within a minute is not started again in that minute. */
const MAX_ENDS = 3;
const MINUTE_MS = 60_000;
const PROBLEM_BYTES = 1_024;

interface ServerConnectionOptions {
  readonly server: string;
  /** Haft's version, sent to the server. */
  readonly version: string;
  /** Milliseconds that a call may take, and that it may take longer after each progress. */
  readonly timeoutMs: number;
  /** Milliseconds that it may take in all. */
  readonly maxCallMs: number;
  /** A new way to the server. */
  transport(): Promise<ProgramTransport | StreamableHTTPClientTransport>;
  /** The server says that its tools have changed. */
  onChange(): void;
}

/** What a call needs of its context. */
type ServerCallContext = Pick<ToolContext, "signal" | "emit" | "artifacts">;

interface Connection {
  readonly client: Client;
  readonly transport: ProgramTransport | StreamableHTTPClientTransport;
  isClosed: boolean;
}

/** Answers are read by our own code, tool by tool: one that is malformed spoils no other. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value }) },
};

export class ServerConnection {
  readonly #options: ServerConnectionOptions;
  #connection: Promise<Connection> | undefined;
  readonly #made = new Set<Connection["transport"]>();
  readonly #ends: number[] = [];
  #isClosed = false;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
  }

  /** All tools that the server lists, as it describes them, and at most one page more than are offered. Rejects with a clause. */
  async list(): Promise<readonly unknown[]> {
    const connection = await this.#connected();
    const listed: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && listed.length <= MAX_TOOLS; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const options = { timeout: CONNECT_MS };
      const answer = await this.#asked(connection, () =>
        connection.client.request({ method: "tools/list", params }, ANYTHING, options),
      );
      const { tools, nextCursor } = (answer ?? {}) as Readonly<Record<string, unknown>>;
      if (!Array.isArray(tools)) throw new Error("its response to tools/list has no list of tools");
      for (const tool of tools) listed.push(tool);
      if (typeof nextCursor !== "string" || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return listed;
  }

  /** Runs one tool there. A call that was lost with its server is not sent again, since it may have been done. */
  async call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    ctx: ServerCallContext,
  ): Promise<ToolResult<never>> {
    const { signal } = ctx;
    const { server, timeoutMs, maxCallMs } = this.#options;
    const request = { method: "tools/call", params: { name: tool, arguments: input } };
    const limits = { timeout: timeoutMs, resetTimeoutOnProgress: true, maxTotalTimeout: maxCallMs };
    const onprogress = ({ message, progress, total }: Progress): void =>
      ctx.emit({
        kind: "progress",
        message: cleanText(message) || `the server "${server}" is working`,
        progress,
        ...(total === undefined ? {} : { total }),
      });
    const options = { signal, ...limits, onprogress };
    const ask = async (): Promise<ToolResult<never>> => {
      let connection: Connection;
      try {
        connection = await this.#connectedFor(signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return fail(
          "BACKEND_UNAVAILABLE",
          `Did not run it: the server "${server}" is not available: ${clause(error)}.`,
        );
      }
      const send = () => connection.client.request(request, ANYTHING, options);
      return serverResult(await this.#asked(connection, send), server, ctx.artifacts);
    };
    try {
      // One that was started anew says that it does not know the session; then the call has not begun.
      return await ask().catch((error: unknown) =>
        isForgotten(error) && !signal.aborted ? ask() : Promise.reject(error),
      );
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (await isTimeout(error))
        return fail(
          "CALL_TIMEOUT",
          `Stopped the call: the server "${server}" sent no response and no progress within ${timeoutMs} ms. \`timeoutMs\` of the server in the configuration sets this limit.`,
          { details: { deadlineMs: timeoutMs } },
        );
      return {
        content: [
          {
            kind: "text",
            text: `The server "${server}" returned no valid response: ${clause(error)}.`,
            provenance: { from: "server", ref: server },
          },
        ],
        isError: true,
        provenance: { from: "server", ref: server },
      };
    }
  }

  /** Ends the connection and its program. @returns What could not be ended. Idempotent. */
  async close(): Promise<readonly string[]> {
    this.#isClosed = true;
    const left = await Promise.all(
      [...this.#made].map(async (transport) => {
        if ("end" in transport) return transport.end();
        await bounded(transport.terminateSession(), TERMINATE_MS);
        await bounded(transport.close(), TERMINATE_MS);
        return [];
      }),
    );
    return left.flat();
  }

  /** A call that is cancelled does not wait for what others still do. */
  #connectedFor(signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    return withTimeout(
      { clock: systemClock, ms: this.#options.timeoutMs, signal },
      () => this.#connected(),
      (why) => {
        throw why === "cancelled"
          ? signal.reason
          : new Error(`it did not answer within ${this.#options.timeoutMs / 1_000} s`);
      },
    );
  }

  #connected(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(new Error("it was closed"));
    this.#connection ??= this.#again();
    return this.#connection;
  }

  async #again(): Promise<Connection> {
    try {
      const now = performance.now();
      if (this.#ends.filter((end) => now - end < MINUTE_MS).length >= MAX_ENDS)
        throw new Error(`it ended ${MAX_ENDS} times within a minute, and is not restarted within that minute`);
      return await this.#connect();
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  /** By the older protocols, which all servers speak but those that refuse them. */
  async #connect(): Promise<Connection> {
    const { ProtocolError, SdkHttpError } = await import("@modelcontextprotocol/client");
    try {
      return await this.#connectBy({ mode: "legacy" });
    } catch (error) {
      if (!(error instanceof ProtocolError || error instanceof SdkHttpError) || this.#isClosed) throw error;
      return await this.#connectBy({ mode: { pin: NEWEST } }).catch(() => {
        throw error;
      });
    }
  }

  async #connectBy(versionNegotiation: { readonly mode: "legacy" | { readonly pin: string } }): Promise<Connection> {
    const { Client } = await import("@modelcontextprotocol/client");
    const { version, onChange } = this.#options;
    const client = new Client({ name: "haft", version }, { capabilities: {}, versionNegotiation });
    const transport = await this.#options.transport();
    if (this.#isClosed) throw new Error("it was closed");
    const connection: Connection = { client, transport, isClosed: false };
    this.#made.add(transport);
    client.onclose = () => this.#disconnected(connection);
    // What goes wrong is reported by the request that it spoils.
    client.onerror = () => {};
    client.setNotificationHandler("notifications/tools/list_changed", () => onChange());
    try {
      await client.connect(transport as Transport, { timeout: CONNECT_MS });
    } catch (error) {
      const problem = "problem" in transport ? transport.problem : undefined;
      this.#disconnected(connection);
      await this.#dispose(transport);
      throw problem === undefined ? error : new Error(problem);
    }
    return connection;
  }

  async #asked(connection: Connection, ask: () => Promise<unknown>): Promise<unknown> {
    try {
      return await ask();
    } catch (error) {
      const { transport } = connection;
      const problem = "problem" in transport ? transport.problem : undefined;
      // A session ends when the server says that it does not know it: one that is busy for a moment still has it.
      if (!("end" in transport) && isForgotten(error)) this.#disconnected(connection);
      throw problem === undefined ? error : new Error(problem);
    }
  }

  #disconnected(connection: Connection): void {
    if (connection.isClosed) return;
    connection.isClosed = true;
    if ("end" in connection.transport) this.#ends.push(performance.now());
    if (this.#ends.length > MAX_ENDS) this.#ends.shift();
    this.#connection = undefined;
    void this.#dispose(connection.transport);
  }

  async #dispose(transport: Connection["transport"]): Promise<void> {
    await bounded(transport.close(), TERMINATE_MS * 5);
    this.#made.delete(transport);
  }
}

async function isTimeout(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode } = await import("@modelcontextprotocol/client");
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

const isForgotten = (error: unknown): boolean => error instanceof Error && "status" in error && error.status === 404;

function clause(error: unknown): string {
  return cleanText(messageOf(error), PROBLEM_BYTES).replace(/\.$/, "");
}

/** Waits for its end, whatever it is, and not longer than `ms`. */
function bounded(work: Promise<unknown>, ms: number): Promise<unknown> {
  return withTimeout<unknown>(
    { clock: systemClock, ms },
    () => work.catch(() => undefined),
    () => undefined,
  );
}
