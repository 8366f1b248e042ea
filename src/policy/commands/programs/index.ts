/** The program tables. */
import type { ProgramSpec, ProgramTable } from "../program-spec.js";
import { ARCHIVES } from "./archives.js";
import { BUILD_TOOLS } from "./builds.js";
import { BUILTINS } from "./builtins.js";
import { CHECKERS } from "./checkers.js";
import { CONTAINERS } from "./containers.js";
import { GIT_PROGRAMS } from "./git.js";
import { JAVASCRIPT } from "./javascript.js";
import { LANGUAGES } from "./languages.js";
import { MACHINE } from "./machine.js";
import { NETWORK } from "./network.js";
import { READERS } from "./readers.js";
import { SEARCH } from "./search.js";
import { SHELLS } from "./shells.js";
import { SYSTEM } from "./system.js";
import { WRAPPERS } from "./wrappers.js";
import { WRITERS } from "./writers.js";

export const PROGRAM_TABLES: readonly ProgramTable[] = [
  READERS,
  MACHINE,
  WRITERS,
  SEARCH,
  ARCHIVES,
  GIT_PROGRAMS,
  JAVASCRIPT,
  CHECKERS,
  LANGUAGES,
  BUILD_TOOLS,
  NETWORK,
  CONTAINERS,
  SYSTEM,
  SHELLS,
  WRAPPERS,
  BUILTINS,
];

const byName = new Map<string, ProgramSpec>(PROGRAM_TABLES.flatMap((table) => Object.entries(table)));

/** The entry of a program. Where file names ignore case, `LS` is `ls`; `mkfs.ext4` is `mkfs`, and `python3.12` is `python`. */
export function programNamed(name: string): ProgramSpec | undefined {
  return (
    byName.get(name) ??
    byName.get(name.toLowerCase()) ??
    byName.get(name.replace(/^(mkfs)\..*$|-?\d+(\.\d+)*$/, "$1").toLowerCase())
  );
}
