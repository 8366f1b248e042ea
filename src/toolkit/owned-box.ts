/** What owns a session without a name: whoever made it ends it, or the toolkit does at its own end. */
import type { HostContext, SessionEnd, ToolBox } from "../kernel/index.js";

/** Something whose session ends with it. */
export interface CloseableContext extends AsyncDisposable {
  /**
   * Ends the session that was made for it: what it left running is ended, and nothing of it is stored; later calls are refused
   * with `STORE_CLOSED`. A session with a name continues. Idempotent. Without it the session ends with the toolkit.
   */
  close(): Promise<SessionEnd>;
}

/** A box that may own its session. */
export type OwnedBox<Tools extends object = object> = ToolBox<Tools> & CloseableContext;

/** A context that owns its session. */
export type OwnedContext = HostContext & CloseableContext;

/** The same box or context, with the end of its session. */
export function withOwnedContext<T extends object>(what: T, close: () => Promise<SessionEnd>): T & CloseableContext {
  return { ...what, close, [Symbol.asyncDispose]: async () => void (await close()) };
}
