/** The toolkit behind a server: opened by the first call, one session for each that the server names. */
import type { ToolBox } from "../../kernel/index.js";
import type { Toolkit, ToolkitSession } from "../../toolkit/index.js";
import type { McpCalls } from "../mcp/index.js";
import { endedAfterKill } from "./survivor-watch.js";

export interface ServedCallsOptions {
  readonly collection: string;
  /** Opens the toolkit. `roots` are the client's folders, file URLs; none when it was not asked or has none. */
  open(roots: readonly string[]): Promise<Toolkit>;
  /** Whether the client's folders decide where to work. */
  readonly needsRoots: boolean;
  /** Something that the operator should know. */
  onNote(line: string): void;
}

export interface ServedCalls extends McpCalls {
  /** Ends every session and what it left running. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

export function servedCalls(options: ServedCallsOptions): ServedCalls {
  const sessions = new Map<string, { readonly session: ToolkitSession; readonly box: ToolBox }>();
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

  return {
    get takeRoots() {
      if (roots !== undefined) return undefined;
      return (told: readonly string[]) => {
        roots = told;
      };
    },
    async run(call, runOptions, key) {
      const toolkit = await open();
      let served = sessions.get(key);
      if (served === undefined) {
        const session = toolkit.session();
        served = { session, box: session.box(options.collection) };
        sessions.set(key, served);
      }
      const outcome = await served.box.runner.run({ ...call, id: toolkit.host.ids.next("call") }, runOptions);
      if (!isReported) {
        isReported = true;
        endedAfterKill(await toolkit.takeReports()).forEach(options.onNote);
      }
      return outcome;
    },
    end(key) {
      const served = sessions.get(key);
      sessions.delete(key);
      void served?.session.close();
    },
    async close() {
      const toolkit = await opening?.catch(() => undefined);
      return toolkit === undefined ? { left: [] } : toolkit.close();
    },
  };
}
