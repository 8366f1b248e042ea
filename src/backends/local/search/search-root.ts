import { closeSync, constants, openSync } from "node:fs";
import { type Binding, type EntryKind, FS_OPERATIONS, HaftError, includesPath } from "../../../kernel/index.js";
import { notFound } from "../fs/faults.js";
import { kindOf, type PathResolver } from "../fs/path-resolver.js";
import { type DirectoryAnchor, openAnchor, openAnchorItself } from "../fs/pinned-directory.js";

/** The root of a search, authorized and pinned. */
export interface SearchRoot {
  readonly kind: EntryKind;
  /** Bytes of a file, else 0. */
  readonly size: number;
  /** The real path. */
  readonly real: string;
  /** The root itself if it is a directory, else its parent directory. */
  readonly directory: DirectoryAnchor;
  /** The root as seen from `directory`: "." or "./name". */
  readonly argument: string;
}

/**
 * The caller closes its `directory`.
 * @throws `FS_NOT_FOUND`, `FS_PERMISSION`; `CALL_UNCLAIMED`, `POLICY_DENIED`, `POLICY_APPROVAL_REQUIRED` where it may not
 *   be searched.
 */
export function openSearchRoot(root: string, finder: PathResolver, binding: Binding): Promise<SearchRoot> {
  return finder.with(root, { operation: FS_OPERATIONS.search, access: "read" }, (resolved) => {
    if (resolved.info === undefined) throw notFound(FS_OPERATIONS.search[0], root, "stat");
    const kind = kindOf(resolved.info);
    const size = kind === "file" ? Number(resolved.info.size) : 0;
    if (kind === "directory") {
      requireTree(binding, root);
      // A directory can be pinned without permission to list it.
      closeSync(openSync(resolved.path, constants.O_RDONLY | constants.O_DIRECTORY));
      return {
        kind,
        size,
        real: resolved.real,
        directory: openAnchorItself(resolved.path, finder.mode),
        argument: ".",
      };
    }
    return {
      kind,
      size,
      real: resolved.real,
      directory: openAnchor(resolved.anchor.at(""), finder.mode),
      argument: `./${resolved.name}`,
    };
  });
}

/** @throws `CALL_UNCLAIMED` if the grant covers the directory but not its contents. */
export function requireTree({ grant }: Binding, path: string): void {
  const isWhole = grant.files.some(
    (place) => place.scope === "tree" && includesPath(grant, place, path) && place.access.includes("read"),
  );
  if (isWhole) return;
  throw new HaftError(
    "CALL_UNCLAIMED",
    `Did not search "${path}": the call did not claim what lies below it. Search its parts one by one.`,
    { details: { path, access: "read" } },
  );
}
