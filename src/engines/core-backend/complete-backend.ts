/** Makes a backend of the least that a third party has to supply. */

import type { Backend, Clock, CoreFs, CoreShell, Digest, Ports } from "../../kernel/index.js";
import { AbortHub, closedBackend, webDigest } from "../../kernel/index.js";
import { CorePortFs } from "./fs.js";
import { type CoreAccess, CoreGuard } from "./guard.js";
import { CorePortSearch } from "./search.js";
import { CorePortShell } from "./shell.js";
import { WriteQueue } from "./write-queue.js";

/** What a third party supplies: eight file operations and, where there are commands, `exec`. */
export interface BackendCore {
  /** For users. */
  readonly name: string;
  /** The machine whose files these are; see `Backend.machine`. Default: `name`. */
  readonly machine?: string;
  readonly fs: CoreFs;
  /** Absent: commands are refused with `BACKEND_UNSUPPORTED`. */
  readonly shell?: CoreShell;
  /** See `Backend.commandLanguage`. */
  readonly commandLanguage?: string;
  /** The working directory, absolute. */
  readonly cwd: string;
  /** Default: `cwd`. */
  readonly home?: string;
  /** Times commands and searches: `systemClock`, which every runtime has, or one of a test. */
  readonly clock: Clock;
  /** SHA-256 as hex. Default: the Web Crypto of the runtime. */
  readonly digest?: Digest;
  /**
   * The real path that a path leads to, all symlinks followed, or undefined where that is not known. Needed where symlinks exist:
   * without it an operation through a symlink is refused with `BACKEND_UNSUPPORTED` unless the grant covers everything.
   */
  realPath?(path: string): Promise<string | undefined>;
  /** Ends connections. Called once. */
  close?(): Promise<void>;
}

/**
 * A whole backend over eight file operations and `exec`. What it adds is slower than ports of its own, and weaker: its guard
 * is "checked"; a replaced file is written in place, not renamed; a range reads the whole file; nothing is known about
 * processes, so `tree` is "unseen"; there are no jobs. Its flags are all off. File operations that a core has begun continue
 * when the call is cancelled; `close` aborts the commands that run, and does not wait for them.
 *
 * `COMPLETED_CANNOT` of `haft/testing` lists what it cannot do, for the `cannot` of your plan.
 *
 * Any error of the core is understood: a code of POSIX ("ENOENT") is translated, anything else is `FS_IO` with its message.
 */
export function completeBackend(core: BackendCore): Backend {
  const { name, machine = name, commandLanguage, fs, clock, cwd, home = cwd, digest = webDigest } = core;
  const closing = new AbortController();
  const requireOpen = (): void => {
    if (closing.signal.aborted) throw closedBackend(name);
  };
  const access: CoreAccess = { name, fs, follow: async (path) => core.realPath?.(path), requireOpen };
  const writeQueue = new WriteQueue();
  const free = new CoreGuard(access);
  const shellOf = { name, shell: core.shell, guard: free, clock, closing: new AbortHub(closing.signal) };
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
