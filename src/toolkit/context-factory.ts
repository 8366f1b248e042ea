/** The context of each call of a toolkit. */
import { createHostContext, type Dialect, HaftError, type HostContext } from "../kernel/index.js";
import type { DocumentSession } from "../stores/index.js";
import type { Host } from "./host-services.js";
import type { TargetSet } from "./target-set.js";
import type { ToolkitOptions } from "./toolkit-options.js";

interface Parts {
  readonly host: Host;
  readonly targets: TargetSet;
  readonly dialect: Dialect;
  isClosed(): boolean;
}

/** Opens no target. `cwd` narrows the context to a directory of the default target. */
export function contextFactory(options: ToolkitOptions, { host, targets, dialect, isClosed }: Parts) {
  const more = {
    host: host.services,
    dialect,
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(options.framework === undefined ? {} : { framework: options.framework }),
  };
  return (session: DocumentSession, isEnded: () => boolean, cwd?: string): HostContext | Promise<HostContext> => {
    if (isClosed()) throw closed("the toolkit was closed. Make a new one with `createToolkit`");
    if (isEnded()) throw closed("its session was closed. Open another one with `toolkit.session()`");
    const create = (problem?: unknown): HostContext =>
      createHostContext({
        ...more,
        session,
        target: targets.first,
        targets: targets.all,
        ...(cwd === undefined ? {} : { cwd }),
        ...(problem === undefined ? {} : { problem }),
      });
    const loading = session.load();
    return loading === undefined ? create() : loading.then(() => create(), create);
  };
}

function closed(why: string): HaftError {
  return new HaftError("STORE_CLOSED", `Did not run the call: ${why}.`);
}
