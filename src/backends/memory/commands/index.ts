import type { MemoryCommand } from "../memory-command.js";
import { ls, mkdir, pwd, rm } from "./file-commands.js";
import { env, failing, kill, sleep, succeed } from "./process-commands.js";
import { cat, echo, head, printf, tail, wc } from "./text-commands.js";

/** The commands that every memory shell has; `cd`, `export` and `exit` belong to the shell itself. */
export const STANDARD_COMMANDS: Readonly<Record<string, MemoryCommand>> = {
  echo,
  printf,
  cat,
  head,
  tail,
  wc,
  ls,
  pwd,
  mkdir,
  rm,
  true: succeed,
  ":": succeed,
  false: failing,
  sleep,
  kill,
  env,
};
