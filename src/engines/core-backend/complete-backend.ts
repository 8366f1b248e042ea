/** Makes a backend of the least that a third party has to supply. */

import type { Backend, Ports } from "../../kernel/index.js";
import { AbortHub, closedBackend, webDigest } from "../../kernel/index.js";
import type { BackendCore } from "./backend-core.js";
import { checkedFs, checkedRealPath, checkedShell, requireCore } from "./checked-core.js";
import { CorePortFs } from "./fs.js";
import { type CoreAccess, CoreGuard } from "./guard.js";
import { CorePortSearch } from "./search.js";
import { CorePortShell } from "./shell.js";
import { WriteQueue } from "./write-queue.js";

/**
 * A whole backend over seven file operations and `exec`. What it adds is slower than ports of its own, and weaker: its guard
 * is "checked"; a replaced file is written in place, not renamed; a range reads the whole file; nothing is known about
 * processes, so `tree` is "unseen"; there are no jobs. Its flags are all off. File operations that a core has begun continue
 * when the call is cancelled; `close` aborts the commands that run, and does not wait for them.
 *
 * `COMPLETED_CANNOT` of `haft/testing` lists what it cannot do, for the `cannot` of your plan.
 *
 * Any error of the core is understood: a code of POSIX ("ENOENT") is translated, anything else is `FS_IO` with its message. So is
 * an answer that breaks the contract of `CoreFs`, such as the name ".." in a directory; one that breaks that of `CoreShell` is a
 * command that could not be run.
 *
 * @throws `CONFIG_INVALID` for a core that lacks an operation, or whose `cwd` is not absolute; the message says what to pass.
 */
export function completeBackend(core: BackendCore): Backend {
  requireCore(core);
  const { name, machine = name, commandLanguage, clock, cwd, home = cwd, digest = webDigest } = core;
  const closing = new AbortController();
  const requireOpen = (): void => {
    if (closing.signal.aborted) throw closedBackend(name);
  };
  const access: CoreAccess = { name, fs: checkedFs(name, core.fs), follow: checkedRealPath(core), requireOpen };
  const shell = core.shell === undefined ? undefined : checkedShell(name, core.shell);
  const writeQueue = new WriteQueue();
  const free = new CoreGuard(access);
  const shellOf = { name, shell, guard: free, clock, closing: new AbortHub(closing.signal) };
  return {
    name,
    machine,
    flags: {},
    ...(commandLanguage === undefined ? {} : { commandLanguage }),
    guard: "checked",
    home,
    cwd,
    bind(grant, call): Ports {
      requireOpen();
      const bound = { grant, call };
      return {
        fs: new CorePortFs(new CoreGuard(access, bound), digest, writeQueue),
        shell: new CorePortShell({ ...shellOf, guard: new CoreGuard(access, bound) }, bound),
        search: new CorePortSearch(access, clock, bound),
      };
    },
    root: { fs: new CorePortFs(free, digest, writeQueue), shell: new CorePortShell(shellOf) },
    state: () => (closing.signal.aborted ? "closed" : "open"),
    async close() {
      if (!closing.signal.aborted) {
        closing.abort();
        await core.close?.();
      }
      return { left: [] };
    },
  };
}
