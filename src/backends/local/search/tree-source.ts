/** The tree of this machine as the shared search engine sees it: every place judged where it really is, and held. */
import { closeSync, type Dirent, promises } from "node:fs";
import {
  type EntryKind,
  HaftError,
  IGNORE_FILES,
  isWithin,
  type SearchSource,
  type SourceChild,
} from "../../../kernel/index.js";
import { baseName, parentOf } from "../../../text/index.js";
import { type GuardMode, openAnchor } from "../fs-anchor.js";
import { fsFault, notFound } from "../fs-faults.js";
import { kindOf } from "../fs-info.js";
import { Patience } from "../fs-patience.js";
import { CHUNK_BYTES, openFile, readAt } from "../fs-read.js";
import { type FsBinding, SpotFinder } from "../fs-spot.js";

export interface TreeSourceOptions {
  readonly mode: GuardMode;
  readonly binding: FsBinding;
  /** The root of the search, as it was asked for. */
  readonly root: string;
}

/**
 * @throws `CALL_UNCLAIMED`, `POLICY_DENIED`, `POLICY_APPROVAL_REQUIRED`, `FS_*` from each operation, about the path that it
 *   was asked for.
 */
export function treeSource({ mode, binding, root }: TreeSourceOptions): SearchSource {
  // The scope ends the search; a call that has ended meanwhile must still get its end record.
  const call = { ...binding.call, signal: new AbortController().signal };
  const guarded = new SpotFinder(mode, { grant: binding.grant, call });
  const free = new SpotFinder(mode, undefined);
  const { workspace } = call;
  // Ignore rules come from the workspace down; what they say is used and not told, so no claim covers it.
  const isAbove = (folder: string) =>
    workspace !== undefined && folder !== root && isWithin(workspace, folder) && isWithin(folder, root);
  const patience = new Patience(undefined, () => {});
  return {
    stat: (path) =>
      guarded.with(path, { did: "search", access: "read" }, ({ info }) => {
        if (info === undefined) throw notFound("search", path, "stat");
        return { kind: kindOf(info), size: info.isFile() ? Number(info.size) : 0 };
      }),
    async readDir(path) {
      const finder = isAbove(path) ? free : guarded;
      return finder.with(path, { did: "list", access: "read" }, async (spot) => {
        if (!isAbove(path)) requireTree(binding, path);
        const folder = openAnchor(spot.path, mode);
        try {
          return (await promises.readdir(folder.at(""), { withFileTypes: true })).map(childOf);
        } finally {
          folder.close();
        }
      });
    },
    async *openRead(path) {
      const isRule = IGNORE_FILES.some((name) => name === baseName(path)) && isAbove(parentOf(path));
      const finder = isRule ? free : guarded;
      const file = await finder.with(path, { did: "read", access: "read" }, (spot) => openFile(spot, "read"));
      try {
        for (let at = 0; ; ) {
          const chunk = await readAt(file.descriptor, at, CHUNK_BYTES, patience);
          if (chunk.length === 0) return;
          at += chunk.length;
          yield chunk;
        }
      } catch (thrown) {
        throw fsFault(thrown, "read", path);
      } finally {
        closeSync(file.descriptor);
      }
    },
  };
}

/** @throws `CALL_UNCLAIMED` where the grant opens the folder and not what lies below it. */
export function requireTree({ grant }: FsBinding, path: string): void {
  const isWhole = grant.files.some(
    (place) => place.scope === "tree" && isWithin(place.path, path) && place.access.includes("read"),
  );
  if (isWhole) return;
  throw new HaftError(
    "CALL_UNCLAIMED",
    `Did not search "${path}": the call claimed it without what lies below it. Name the parts one by one.`,
    { details: { path, access: "read" } },
  );
}

function childOf(entry: Dirent): SourceChild {
  return { name: entry.name, kind: direntKind(entry) };
}

function direntKind(entry: Dirent): EntryKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}
