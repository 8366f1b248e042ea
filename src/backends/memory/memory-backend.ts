/** A whole machine in memory: files, commands, search; no disk, no process, nothing of Node. */
import {
  type Backend,
  type Binding,
  badPath,
  type Clock,
  closedBackend,
  type Digest,
  FS_OPERATIONS,
  type Ports,
  requirePath,
  SessionJobs,
  webDigest,
} from "../../kernel/index.js";
import { parentOf, resolvePath } from "../../text/index.js";
import { STANDARD_COMMANDS } from "./commands/index.js";
import { FileTree } from "./file-tree.js";
import type { MemoryCommand } from "./memory-command.js";
import { MemoryFs } from "./memory-fs.js";
import type { MemoryRun } from "./memory-run.js";
import { MemorySearch } from "./memory-search.js";
import { MemoryShell, type ShellHost } from "./memory-shell.js";
import { ProcessTable } from "./process-table.js";
import { TreeGuard } from "./tree-guard.js";

/** Backends made in this process: each is a machine of its own. */
let machines = 0;

export interface MemoryBackendOptions {
  /** The display name. Default "memory". */
  readonly name?: string;
  /** Initial files; relative paths start from `cwd`, parents are created. A path that ends in "/" is an empty directory. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Times of files and every pause. Default: the machine's clock. */
  readonly clock?: Clock;
  /** The working directory; created if missing. Default "/workspace". */
  readonly cwd?: string;
  /** The home directory; created if missing. Default "/home/user". */
  readonly home?: string;
  /** Additional commands; they override standard ones. */
  readonly commands?: Readonly<Record<string, MemoryCommand>>;
  /** Environment variables of commands, besides PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** SHA-256 as hex. Default: the Web Crypto of the runtime. */
  readonly digest?: Digest;
}

/** An entry that no port can create. Paths are absolute; the directory must exist. */
export type MemoryPlant =
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | { readonly kind: "hard-link"; readonly path: string; readonly of: string }
  | { readonly kind: "fifo"; readonly path: string }
  | { readonly kind: "mode"; readonly path: string; readonly mode: number };

export interface MemoryBackend extends Backend {
  /** Creates symlinks and FIFOs and sets modes, as a user of the machine could. A symlink replaces an existing file, not a directory. */
  plant(what: MemoryPlant): void;
}

/**
 * A backend that lives in this process and ends with it. Its guard is "pinned": an operation is authorized and executed in
 * one synchronous step. Modes are kept and not enforced; files are not limited in number or size.
 *
 * Commands are parsed as POSIX shell, as far as simple commands, quotes, `$NAME`, `;` `&&` `||` `|` `&`, redirections and
 * here-documents go; a command that needs more exits with 2 and a message, an unknown one with 127.
 */
export function createMemoryBackend(options: MemoryBackendOptions = {}): MemoryBackend {
  const {
    name = "memory",
    clock = machineClock(),
    cwd = "/workspace",
    home = "/home/user",
    digest = webDigest,
  } = options;
  const machine = `${name} ${++machines}`;
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed) throw closedBackend(name);
  };
  const tree = new FileTree(() => clock.now(), requireOpen);
  const table = new ProcessTable(clock);
  const runs = new Map<string, MemoryRun>();
  const rootFs = new MemoryFs(new TreeGuard(tree), digest);
  let runCount = 0;
  const host: ShellHost = {
    tree,
    table,
    runs,
    fs: rootFs,
    commands: { ...STANDARD_COMMANDS, ...options.commands },
    env: { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", ...options.env },
    nextRunId: () => `memory-${++runCount}`,
  };
  for (const directory of ["/tmp", cwd, home]) tree.makeDirectories(directory);
  for (const [path, content] of Object.entries(options.files ?? {}))
    putFile(tree, resolvePath(cwd, path), path.endsWith("/"), content);

  const rootShell = new MemoryShell(host);
  const sessions = new SessionJobs(rootShell);
  const ports = (bound: Binding): Ports => {
    requireOpen();
    return {
      fs: new MemoryFs(new TreeGuard(tree, bound), digest),
      shell: sessions.ofCall(new MemoryShell(host, bound), bound.call.sessionId),
      search: new MemorySearch(tree, table, bound),
    };
  };
  return {
    name,
    machine,
    flags: { signals: true, symlinks: true, jobs: true, detach: true },
    guard: "pinned",
    home,
    cwd,
    bind: (grant, call) => ports({ grant, call }),
    root: { fs: rootFs, shell: rootShell },
    state: () => (isClosed ? "closed" : "open"),
    endSession: (id, options) => sessions.end(id, options),
    async close() {
      isClosed = true;
      for (const process of table.all()) process.send("KILL");
      runs.clear();
      return { left: [] };
    },
    plant: (what) => plantIn(tree, what),
  };
}

function putFile(tree: FileTree, path: string, isDirectory: boolean, content: string | Uint8Array): void {
  requirePath(FS_OPERATIONS.write, path);
  if (isDirectory) {
    tree.makeDirectories(path);
    return;
  }
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
  tree.attach(tree.makeDirectories(parentOf(path)), path.slice(path.lastIndexOf("/") + 1), tree.newFile(bytes));
}

function plantIn(tree: FileTree, what: MemoryPlant): void {
  const resolved = tree.walk(what.path, false, FS_OPERATIONS.write);
  const refuse = (why: string): never => {
    throw badPath("plant", what.path, why);
  };
  if (what.kind === "mode") {
    tree.setMode(resolved.node ?? refuse("it does not exist. Create it first"), what.mode);
    return;
  }
  const parent = resolved.parent ?? refuse("its directory does not exist. Create it first");
  if (resolved.node !== undefined && (what.kind !== "link" || resolved.node.kind === "directory"))
    refuse("the name already exists. Remove it first");
  if (what.kind === "link") tree.attach(parent, resolved.name, tree.newSymlink(what.target));
  else if (what.kind === "fifo") tree.attach(parent, resolved.name, tree.newSpecial("fifo"));
  else {
    const { node } = tree.walk(what.of, true, FS_OPERATIONS.write);
    tree.attach(
      parent,
      resolved.name,
      node?.kind === "file" ? node : refuse("a hard link needs a file. Name one with `of`"),
    );
  }
}

/** The machine's time. */
function machineClock(): Clock {
  return {
    now: () => Date.now(),
    timer(ms, done) {
      const timer = setTimeout(done, ms);
      return () => clearTimeout(timer);
    },
  };
}
