/** The toolkit behind a server: opened by the first call, one session for each that the server names. */
import { messageOf, type ToolBox } from "../../kernel/index.js";
import type { Toolkit, ToolkitSession } from "../../toolkit/index.js";
import type { McpCalls } from "../mcp/index.js";
import { endedAfterKill } from "./survivor-watch.js";

/** Sessions that are kept. A client names as many conversations as it likes; beyond these the one not used for longest is ended. */
const MAX_SESSIONS = 1_000;

export interface ServedCallsOptions {
  readonly collection: string;
  /** Opens the toolkit. `roots` are the client's folders, file URLs; none when it was not asked or has none. */
  open(roots: readonly string[]): Promise<Toolkit>;
  /** Whether the client's folders decide where to work. */
  readonly needsRoots: boolean;
  /** Something that the operator should know. */
  onNote(line: string): void;
  /** Default 1000. One with a running call is never ended. */
  readonly maxSessions?: number;
}

export interface ServedCalls extends McpCalls {
  /** Ends every session and what it left running. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

interface Served {
  readonly session: ToolkitSession;
  readonly box: ToolBox;
  running: number;
}

export function servedCalls(options: ServedCallsOptions): ServedCalls {
  /** The last used stand last. */
  const sessions = new Map<string, Served>();
  let roots: readonly string[] | undefined = options.needsRoots ? undefined : [];
  let opening: Promise<Toolkit> | undefined;
  let isReported = false;

  const open = (): Promise<Toolkit> => {
    opening ??= options.open(roots ?? []).catch((error: unknown) => {
      // What was wrong may be mended before the next call.
      opening = undefined;
      throw error;
    });
    return opening;
  };

  const end = (key: string): void => {
    const served = sessions.get(key);
    sessions.delete(key);
    served?.session.close().catch((error: unknown) => options.onNote(`could not end a session: ${messageOf(error)}`));
  };

  const use = (key: string, toolkit: Toolkit): Served => {
    const served = sessions.get(key) ?? newSession(toolkit, options.collection);
    sessions.delete(key);
    sessions.set(key, served);
    if (sessions.size > (options.maxSessions ?? MAX_SESSIONS)) {
      const [unused] = [...sessions].find(([, one]) => one.running === 0 && one !== served) ?? [];
      if (unused !== undefined) end(unused);
    }
    return served;
  };

  return {
    get takeRoots() {
      if (roots !== undefined) return undefined;
      return (told: readonly string[]) => {
        roots = told;
      };
    },
    async run(call, runOptions, key) {
      const toolkit = await open();
      const served = use(key, toolkit);
      served.running++;
      const id = toolkit.host.ids.next("call");
      const outcome = await served.box.runner.run({ ...call, id }, runOptions).finally(() => served.running--);
      if (!isReported) {
        isReported = true;
        endedAfterKill(await toolkit.takeReports()).forEach(options.onNote);
      }
      return outcome;
    },
    end,
    async close() {
      const toolkit = await opening?.catch(() => undefined);
      return toolkit === undefined ? { left: [] } : toolkit.close();
    },
  };
}

function newSession(toolkit: Toolkit, collection: string): Served {
  const session = toolkit.session();
  return { session, box: session.box(collection), running: 0 };
}
