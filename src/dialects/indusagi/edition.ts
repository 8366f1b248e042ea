import type { Fs } from "../../kernel/index.js";

/** The two editions of this toolset: the same tools, limits and schemas; failed file operations are worded apart. */
export type IndusagiEdition = "rust" | "python";

/** What the Python edition calls each operation on files → its name here. */
export const INDUSAGI_FS_NAMES = Object.freeze({
  read_text: "readText",
  read_bytes: "readBytes",
  write_file: "writeFile",
  stat: "stat",
  readdir: "readDir",
  mkdir: "mkdir",
  rm: "rm",
  exists: "exists",
} as const satisfies Record<string, keyof Fs>);
