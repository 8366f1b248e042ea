/** One-line helpers over a host that is made at the first use. */
import { type Clock, HaftError } from "../kernel/index.js";
import type { BuiltinToolData } from "../tools/index.js";
import { builtinRegistry } from "./builtin-registry.js";
import { createToolkit } from "./create-toolkit.js";
import { type OwnedBox, type OwnedContext, withOwnedContext } from "./owned-box.js";
import type { CollectionName, Toolkit, ToolkitSession } from "./toolkit.js";

// The one binding of a module that is allowed to change: everybody who names no host shares this one.
let shared: Promise<Toolkit> | undefined;

function sharedHost(): Promise<Toolkit> {
  shared ??= createToolkit({ autonomy: "full" }).catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

/** This machine's timers, loaded at the first use like the rest of a host. */
const LATE_TIMERS: Pick<Clock, "timer"> = Object.freeze({
  timer(ms: number, done: () => void): () => void {
    let cancel: (() => void) | undefined;
    let isOver = false;
    void import("../host/index.js").then(({ systemClock }) => {
      if (!isOver) cancel = systemClock.timer(ms, done);
    });
    return () => {
      isOver = true;
      cancel?.();
    };
  },
});

/**
 * A box of built-in tools on this machine, with a session of its own that ends with its `close`.
 *
 * @param collection - "read-only", "coding", "all". Default "all".
 * @param cwd - Absolute; where relative paths start. Default: the current directory of the process at the first use of the host.
 * @param host - Default: one that all such helpers share.
 * @throws `REGISTRY_UNKNOWN_COLLECTION`
 */
export function toolBox(collection?: CollectionName | (string & {}), cwd?: string): OwnedBox<BuiltinToolData>;
export function toolBox<Tools extends object>(
  collection: CollectionName | (string & {}) | undefined,
  cwd: string | undefined,
  host: Toolkit<Tools> | undefined,
): OwnedBox<Tools>;
export function toolBox(collection = "all", cwd?: string, host?: Toolkit): OwnedBox {
  let session: Promise<ToolkitSession> | undefined;
  let isClosed = false;
  const registry = host?.registry ?? builtinRegistry();
  const open = () => {
    if (session === undefined && isClosed)
      throw new HaftError("STORE_CLOSED", "Did not run the call: its box was closed. Make a new one with `toolBox`.");
    session ??= newSession(host);
    return session;
  };
  const box = registry.toToolBox(async () => (await open()).context(cwd), collection, { clock: LATE_TIMERS });
  return withOwnedContext(box, async () => {
    isClosed = true;
    // One that was never used, or got no host, has nothing to end; no host is made for that.
    const opened = await session?.catch(() => undefined);
    return opened?.close() ?? { left: [] };
  });
}

/** The same as `toolBox`, with the error for an unknown collection as a value. */
export function tryToolBox(
  collection: CollectionName | (string & {}),
  cwd?: string,
): OwnedBox<BuiltinToolData> | HaftError;
export function tryToolBox<Tools extends object>(
  collection: CollectionName | (string & {}),
  cwd: string | undefined,
  host: Toolkit<Tools> | undefined,
): OwnedBox<Tools> | HaftError;
export function tryToolBox(collection: string, cwd?: string, host?: Toolkit): OwnedBox | HaftError {
  try {
    return toolBox(collection, cwd, host);
  } catch (error) {
    if (HaftError.is(error)) return error;
    throw error;
  }
}

/**
 * A context on this machine for one dispatch: each is a session of its own, with a signal that never fires, the standard
 * budget and no framework handles. `close` ends the session; a host that makes many calls it.
 */
export async function makeLocalContext(cwd?: string, host?: Toolkit): Promise<OwnedContext> {
  const session = await newSession(host);
  try {
    return withOwnedContext(await session.context(cwd), session.close);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Empties the todo list of every open session of the host. Default: the shared host. */
export async function resetTodos(host?: Toolkit): Promise<void> {
  const toolkit = host ?? (await shared);
  await Promise.all(toolkit?.sessions().map(({ session }) => session.todo.replace([])) ?? []);
}

/** Ends and forgets every background command that the host has started. Default: the shared host. */
export async function resetProcessTable(host?: Toolkit): Promise<void> {
  const toolkit = host ?? (await shared);
  await toolkit?.forgetJobs();
}

async function newSession(host: Toolkit | undefined): Promise<ToolkitSession> {
  return (host ?? (await sharedHost())).session();
}
