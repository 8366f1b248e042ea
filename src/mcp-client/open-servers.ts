/** Other MCP servers whose tools are offered as ours: started together, each on its own, ended with us. */

import { baseEnvironment, PipePool, systemClock, Watcher } from "../host/index.js";
import { callSafely, type DefinedTool, messageOf, withTimeout } from "../kernel/index.js";
import { cleanText } from "./clean-text.js";
import { ProgramTransport } from "./program-transport.js";
import { ServerConnection } from "./server-connection.js";
import { serverTools } from "./server-tools.js";

/** Milliseconds between two looks at the tools of a server that says they have changed. */
const RECHECK_MS = 1_000;
const STARTUP_TIMEOUT_MS = 5_000;
/** Milliseconds until a server that could not be reached is tried again; each wait is twice the one before, up to the second. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 60_000;
/** Of one answer over HTTP. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** An open stream carries many messages. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** How a server is reached: a program to start, or an address. `timeoutMs` is how long a call may take without progress. */
export type ServerAddress = { readonly timeoutMs?: number } & (
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
);

export interface OpenServersOptions {
  /** By the name that comes before those of its tools. */
  readonly servers: Readonly<Record<string, ServerAddress>>;
  /** Where programs are started that name no directory. */
  readonly cwd: string;
  /** Of Haft. */
  readonly version: string;
  /** Milliseconds that a call may take without progress, where its server has no `timeoutMs`, and in all. */
  readonly callLimits: { readonly timeoutMs: number; readonly maxMs: number };
  /** False for a tool, by its name of ours, that is not to be offered. Default: all are. */
  isOn?(name: string): boolean;
  /** Something that the operator should know, as a sentence; it may come at any time. What it throws is passed over. */
  onNote?(line: string): void;
  /** The tools are others than when `ready` resolved, or than at the last change. What it throws is passed over. */
  onChange?(): void;
  /** Milliseconds until `ready` resolves whether or not all are there. Default 5000. */
  readonly startupTimeoutMs?: number;
  /** Milliseconds until a server that could not be reached is tried again, doubled each time up to a minute. Default 5000. */
  readonly retryMs?: number;
}

/** What became of one server. */
export interface ServerState {
  readonly name: string;
  /** "late": it has not answered yet. */
  readonly state: "there" | "late" | "failed";
  readonly tools: readonly DefinedTool[];
  /** Why it is not connected, or which of its tools are not offered; sentences without their subject. */
  readonly reported: readonly string[];
}

export interface Servers {
  /** Resolves once every server is there or has failed, at the latest after `startupTimeoutMs`. Never rejects. */
  readonly ready: Promise<void>;
  /** In the order of the configuration. */
  states(): readonly ServerState[];
  /** The tools of all servers that are there by now. */
  tools(): readonly DefinedTool[];
  /** Ends all that was started. `left` names what could not be ended. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

/**
 * Starts connecting to all servers in parallel and returns at once. A server that fails, hangs or floods does not affect the
 * others: it is omitted and reported. A program gets a few standard environment variables and those of its `env` only.
 */
export function openServers(options: OpenServersOptions): Servers {
  return new ConnectedServers(options);
}

/** A server that has changed is looked at again a little later, once for many changes. */
interface Entry {
  readonly name: string;
  readonly connection: ServerConnection;
  readonly timeoutMs: number;
  checkTimer: NodeJS.Timeout | undefined;
  /** When it goes off, by `performance.now`. */
  checkAtMs: number;
  /** The last look failed; the reason was reported. */
  isFailing: boolean;
  /** Milliseconds until the next try, were it to fail. */
  retryMs: number;
}

class ConnectedServers implements Servers {
  readonly ready: Promise<void>;
  readonly #options: OpenServersOptions;
  readonly #pool = new PipePool();
  readonly #watcher = new Watcher(this.#pool);
  readonly #states = new Map<string, ServerState>();
  readonly #entries: readonly Entry[];
  #programs = 0;
  /** The first wait is over: what comes from now on is news. */
  #isOver = false;
  #closing: Promise<{ readonly left: readonly string[] }> | undefined;

  constructor(options: OpenServersOptions) {
    this.#options = options;
    const { servers, startupTimeoutMs = STARTUP_TIMEOUT_MS } = options;
    this.#entries = Object.entries(servers).map(([name, address]) => {
      const reported = [`it did not answer within ${startupTimeoutMs / 1_000} s`];
      this.#states.set(name, { name, state: "late", tools: [], reported });
      return this.#entryOf(name, address);
    });
    this.ready = withTimeout<unknown>(
      { clock: systemClock, ms: startupTimeoutMs },
      () => Promise.all(this.#entries.map((entry) => this.#check(entry))),
      () => undefined,
    ).then(() => {
      this.#isOver = true;
      for (const { name, state, reported } of this.states()) if (state === "late") this.#report(name, reported);
    });
  }

  states(): readonly ServerState[] {
    return [...this.#states.values()];
  }

  tools(): readonly DefinedTool[] {
    return this.states().flatMap(({ tools }) => tools);
  }

  close(): Promise<{ readonly left: readonly string[] }> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<{ readonly left: readonly string[] }> {
    for (const { checkTimer } of this.#entries) clearTimeout(checkTimer);
    const left = await Promise.all(this.#entries.map(({ connection }) => connection.close()));
    this.#watcher.close();
    this.#pool.close();
    return { left: left.flat() };
  }

  #report(name: string, reported: readonly string[]): void {
    if (this.#closing !== undefined) return;
    for (const line of reported) callSafely(() => this.#options.onNote?.(`the server "${name}": ${line}`));
  }

  #entryOf(name: string, address: ServerAddress): Entry {
    const { retryMs = RETRY_MS, callLimits } = this.#options;
    const { timeoutMs = callLimits.timeoutMs } = address;
    const connection = new ServerConnection({
      server: name,
      version: this.#options.version,
      timeoutMs,
      maxCallMs: callLimits.maxMs,
      transport: () => this.#transportTo(address),
      onChange: () => this.#checkSoon(entry),
    });
    const entry: Entry = {
      name,
      connection,
      timeoutMs,
      checkTimer: undefined,
      checkAtMs: 0,
      isFailing: false,
      retryMs,
    };
    return entry;
  }

  async #transportTo(address: ServerAddress) {
    if ("command" in address) {
      const { command, args = [], cwd = this.#options.cwd } = address;
      const env = baseEnvironment(process.env, [], address.env ?? {});
      return new ProgramTransport({ command, args, env, cwd, count: ++this.#programs, watcher: this.#watcher });
    }
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { url, headers = {} } = address;
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch });
  }

  /** Keeps an earlier check, so that a change does not wait for a late retry. */
  #checkSoon(entry: Entry, ms = RECHECK_MS): void {
    if (this.#closing !== undefined) return;
    const atMs = performance.now() + ms;
    if (entry.checkTimer !== undefined && entry.checkAtMs <= atMs) return;
    clearTimeout(entry.checkTimer);
    entry.checkAtMs = atMs;
    entry.checkTimer = setTimeout(() => {
      entry.checkTimer = undefined;
      void this.#check(entry);
    }, ms).unref();
  }

  /** Asks a server for its tools. */
  async #check(entry: Entry): Promise<void> {
    const { name, connection } = entry;
    try {
      const { tools, notes: reported } = await serverTools(await connection.list(), {
        server: name,
        has: (taken) => this.#isTaken(taken, name),
        isOn: this.#options.isOn ?? (() => true),
        maxCallMs: this.#options.callLimits.maxMs,
        call: (tool, input, ctx) => connection.call(tool, input, ctx),
      });
      entry.retryMs = this.#options.retryMs ?? RETRY_MS;
      const isLate = (entry.isFailing || this.#states.get(name)?.state !== "there") && this.#isOver;
      entry.isFailing = false;
      this.#states.set(name, { name, state: "there", tools, reported });
      if (isLate)
        this.#report(name, [`it is connected now, with ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`]);
      if (this.#isOver && this.#closing === undefined) callSafely(() => this.#options.onChange?.());
      this.#report(name, reported);
    } catch (error) {
      this.#checkSoon(entry, entry.retryMs);
      entry.retryMs = Math.min(entry.retryMs * 2, MAX_RETRY_MS);
      // The first reason stays: that of a later try may be that there were too many.
      if (entry.isFailing) return;
      entry.isFailing = true;
      // Tools that were offered before stay: their next call connects anew.
      const tools = this.#states.get(name)?.tools ?? [];
      const isKept = tools.length > 0;
      const what = isKept ? "its tools are unchanged, because they could not be listed again" : "it is skipped";
      const reported = [`${what}: ${cleanText(messageOf(error)).replace(/\.$/, "")}`];
      this.#states.set(name, { name, state: isKept ? "there" : "failed", tools, reported });
      this.#report(name, reported);
    }
  }

  #isTaken(tool: string, by: string): boolean {
    return this.states().some(({ name, tools }) => name !== by && tools.some((other) => other.name === tool));
  }
}

/** As `fetch`; reading more of an answer than the limit rejects. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.body === null) return answer;
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const limit = isStream ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > limit) controller.error(new Error(`its answer has more than ${limit / 1024 / 1024} MiB`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(counted), { status, statusText, headers });
}
