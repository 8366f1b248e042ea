import type { EntryKind } from "../../kernel/index.js";
import type { SearchSource } from "./source.js";

/** The same tree with some files skipped, as symlinks are. They stay listed, because they may hold ignore rules. */
export function passingOver(paths: ReadonlySet<string>, source: SearchSource): SearchSource {
  const passed = <T extends { readonly kind: EntryKind }>(path: string, entry: T): T =>
    paths.has(path) ? { ...entry, kind: "link" } : entry;
  return {
    stat: async (path, follow) => passed(path, await source.stat(path, follow)),
    openRead: (path) => source.openRead(path),
    async readDir(path) {
      const directory = path === "/" ? "" : path;
      return (await source.readDir(path)).map((child) => passed(`${directory}/${child.name}`, child));
    },
  };
}
