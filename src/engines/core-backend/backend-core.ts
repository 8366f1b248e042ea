import type { Clock, CoreFs, CoreShell, Digest } from "../../kernel/index.js";

/** What a third party supplies: seven file operations and, where there are commands, `exec`. */
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
  /** The working directory: an absolute path, without `.`, `..` and a slash at its end. */
  readonly cwd: string;
  /** What `~` stands for, a path like `cwd`. Default: `cwd`. */
  readonly home?: string;
  /** Times commands and searches: `systemClock`, which every runtime has, or one of a test. */
  readonly clock: Clock;
  /** SHA-256 as hex. Default: the Web Crypto of the runtime. */
  readonly digest?: Digest;
  /**
   * The real path that a path leads to, all symlinks in it followed: absolute and normalized. Undefined where that is not known: it
   * does not exist, or is a loop. Needed where symlinks exist: without it an operation through a symlink is refused with
   * `BACKEND_UNSUPPORTED` unless the grant covers everything. One that returns `path` although a symlink is in it lets calls out
   * of the directories that they were granted.
   */
  realPath?(path: string): Promise<string | undefined>;
  /** Ends connections. Called once. */
  close?(): Promise<void>;
}
