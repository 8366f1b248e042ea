/** The context of each call of a toolkit. */
import { after, createHostContext, type Dialect, HaftError, type HostContext, type Session } from "../kernel/index.js";
import type { BackendSet } from "./backend-set.js";
import type { Host } from "./host-services.js";
import type { ToolkitOptions } from "./toolkit-options.js";

interface Parts {
  readonly host: Host;
  readonly backends: BackendSet;
  readonly dialect: Dialect;
  readonly workspace: string | undefined;
  isClosed(): boolean;
}

/** Gives the context at once when the backends are open: most calls need not wait for it. `cwd` narrows it to a directory. */
export function contextFactory(options: ToolkitOptions, { host, backends, dialect, workspace, isClosed }: Parts) {
  const more = {
    host: host.services,
    dialect,
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(options.framework === undefined ? {} : { framework: options.framework }),
  };
  return (session: Session, isEnded: () => boolean, cwd?: string): HostContext | PromiseLike<HostContext> => {
    if (isClosed()) throw closed("the toolkit was closed. Make a new one with `createToolkit`");
    if (isEnded()) throw closed("its session was closed. Open another one with `toolkit.session()`");
    return after(backends.open(), ({ first, all }) =>
      createHostContext({
        ...more,
        session,
        backend: first,
        targets: all,
        workspace: cwd ?? workspace ?? first.cwd,
        ...(cwd === undefined ? {} : { cwd }),
      }),
    );
  };
}

function closed(why: string): HaftError {
  return new HaftError("STORE_CLOSED", `Did not run the call: ${why}.`);
}
