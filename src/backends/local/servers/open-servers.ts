/** Other MCP servers whose tools are offered as ours: started together, each on its own, ended with us. */
import { type DefinedTool, messageOf } from "../../../kernel/index.js";
import { baseEnvironment } from "../command-environment.js";
import { PipePool } from "../pipe-pool.js";
import { Watcher } from "../watcher.js";
import { boundedFetch } from "./bounded-fetch.js";
import { cleanText } from "./clean-text.js";
import { ProgramTransport } from "./program-transport.js";
import { ServerLink } from "./server-link.js";
import { serverTools } from "./server-tools.js";

/** Milliseconds between two looks at the tools of a server that says they have changed. */
const LOOK_AGAIN_MS = 1_000;
const WITHIN_MS = 5_000;

/** How a server is reached: a program to start, or an address. */
export type ServerAddress =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface OpenServersOptions {
  /** By the name that comes before those of its tools. */
  readonly servers: Readonly<Record<string, ServerAddress>>;
  /** Where programs are started that name no folder. */
  readonly cwd: string;
  /** Of Haft. */
  readonly version: string;
  /** False for a tool, by its name of ours, that is not to be offered. Default: all are. */
  isOn?(name: string): boolean;
  /** Something that the operator should know, as a sentence; it may come at any time. */
  onNote?(line: string): void;
  /** The tools are others than when `ready` resolved, or than at the last change. */
  onChange?(): void;
  /** Milliseconds until `ready` resolves whether or not all are there. Default 5000. */
  readonly withinMs?: number;
}

/** What became of one server. */
export interface ServerState {
  readonly name: string;
  /** "late": nothing was heard of it yet. */
  readonly state: "there" | "late" | "failed";
  readonly tools: readonly DefinedTool[];
  /** Why it is not there, or what of it is not offered; sentences without their subject. */
  readonly told: readonly string[];
}

export interface Servers {
  /** Resolves once every server is there or has failed, at the latest after `withinMs`. Never rejects. */
  readonly ready: Promise<void>;
  /** In the order of the configuration. */
  states(): readonly ServerState[];
  /** The tools of all servers that are there by now. */
  tools(): readonly DefinedTool[];
  /** Ends all that was started. `left` names what could not be ended. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

/**
 * Begins to connect to all of them at once and returns. One that fails, hangs or floods harms no other: it is left out and told.
 * A program gets the few usual variables and those of its `env`, nothing else of this process.
 */
export function openServers(options: OpenServersOptions): Servers {
  const {
    servers,
    cwd,
    version,
    isOn = () => true,
    onNote = () => {},
    onChange = () => {},
    withinMs = WITHIN_MS,
  } = options;
  const pool = new PipePool();
  const watcher = new Watcher(pool);
  const states = new Map<string, ServerState>();
  const links: ServerLink[] = [];
  const looks = new Set<NodeJS.Timeout>();
  let count = 0;
  let isOver = false;
  let closing: Promise<{ readonly left: readonly string[] }> | undefined;

  const tell = (name: string, told: readonly string[]): void => {
    if (closing === undefined) for (const line of told) onNote(`the server "${name}": ${line}`);
  };

  const transportTo = async (address: ServerAddress) => {
    if ("command" in address) {
      const { command, args = [], env = {} } = address;
      const all = baseEnvironment(process.env, [], env);
      return new ProgramTransport({ command, args, env: all, cwd: address.cwd ?? cwd, count: ++count, watcher });
    }
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { url, headers = {} } = address;
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch });
  };

  const look = async (name: string, link: ServerLink): Promise<void> => {
    try {
      const listed = await link.list();
      const has = (taken: string) =>
        [...states.values()].some((other) => other.name !== name && other.tools.some((tool) => tool.name === taken));
      const { tools, told } = await serverTools(listed, {
        server: name,
        has,
        isOn,
        call: (tool, input, signal) => link.call(tool, input, signal),
      });
      const isLate = states.get(name)?.state === "late" && isOver;
      states.set(name, { name, state: "there", tools, told });
      if (isLate) tell(name, [`it is there now, with ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`]);
      if (isOver && closing === undefined) onChange();
      tell(name, told);
    } catch (error) {
      const why = `it is left out: ${cleanText(messageOf(error)).replace(/\.$/, "")}`;
      // Tools that were offered before stay: their next call connects anew.
      const before = states.get(name)?.tools ?? [];
      states.set(name, { name, state: before.length > 0 ? "there" : "failed", tools: before, told: [why] });
      tell(name, [why]);
    }
  };

  const lookSoon = (name: string, link: ServerLink, waiting: { timer?: NodeJS.Timeout }): void => {
    if (waiting.timer !== undefined || closing !== undefined) return;
    const timer = setTimeout(() => {
      delete waiting.timer;
      looks.delete(timer);
      void look(name, link);
    }, LOOK_AGAIN_MS).unref();
    waiting.timer = timer;
    looks.add(timer);
  };

  const all = Object.entries(servers).map(([name, address]) => {
    states.set(name, { name, state: "late", tools: [], told: [`it was not there within ${withinMs / 1_000} s`] });
    const waiting = {};
    const link: ServerLink = new ServerLink({
      server: name,
      version,
      transport: () => transportTo(address),
      onChange: () => lookSoon(name, link, waiting),
    });
    links.push(link);
    return look(name, link);
  });

  return {
    ready: inTime(all, withinMs).then(() => {
      isOver = true;
      for (const { name, state, told } of states.values()) if (state === "late") tell(name, told);
    }),
    states: () => [...states.values()],
    tools: () => [...states.values()].flatMap(({ tools }) => tools),
    close() {
      closing ??= (async () => {
        for (const timer of looks) clearTimeout(timer);
        const left = await Promise.all(links.map((link) => link.close()));
        watcher.close();
        pool.close();
        return { left: left.flat() };
      })();
      return closing;
    },
  };
}

async function inTime(all: readonly Promise<void>[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(all), late]);
  clearTimeout(timer);
}
