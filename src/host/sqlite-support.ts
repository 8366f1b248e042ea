/** Which program opens SQLite databases here: Node.js from 22.13 on, or the package `libsql`. */
import { createRequire } from "node:module";

/** The first release that has `node:sqlite` without a flag. */
const BUILT_IN_SINCE = [22, 13] as const;

const require = createRequire(import.meta.url);

export type SqliteSupport = { readonly name: "node:sqlite" } | { readonly name: "libsql"; readonly path: string };

/** Loads nothing. Undefined where there is none. */
export function sqliteSupport(): SqliteSupport | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > BUILT_IN_SINCE[0] || (major === BUILT_IN_SINCE[0] && minor >= BUILT_IN_SINCE[1]))
    return { name: "node:sqlite" };
  try {
    return { name: "libsql", path: require.resolve("libsql") };
  } catch {
    return undefined;
  }
}

/** Why no database can be opened, as a clause with the next step. */
export const NO_SQLITE = `Node.js ${process.versions.node} has no SQLite, and the package "libsql" is not installed. Use Node.js ${BUILT_IN_SINCE.join(".")} or later, or install libsql`;
