import type { AnyFace, Dialect, ToolOutcome } from "../../kernel/index.js";
import { collectionsOf } from "../collections.js";
import { readingArtifacts } from "../rendering.js";
import { bashFace } from "./bash-face.js";
import { editFace } from "./edit-face.js";
import type { IndusagiEdition } from "./edition.js";
import { findFace } from "./find-face.js";
import { grepFace } from "./grep-face.js";
import { lsFace } from "./ls-face.js";
import { noSuchTool } from "./messages.js";
import { processFace } from "./process-face.js";
import { readFace } from "./read-face.js";
import { todoReadFace, todoSetFace } from "./todo-faces.js";
import { writeFace } from "./write-face.js";

/** IR-052 */
export const READ_ONLY_NAMES = ["read", "ls", "grep", "find", "websearch", "webfetch"] as const;
/** IR-053 */
export const MUTATING_NAMES = ["write", "edit", "bash", "todo_set", "todo_read", "process"] as const;

/** Which of the toolset's editions is wanted. */
export interface IndusagiOptions {
  /** "python" words failed file operations like system calls and lets a hard cancel reject. Default "rust". */
  readonly edition?: IndusagiEdition;
}

/** The indusagi toolset: its names, schemas, limits and stable texts, in either edition. */
export function indusagi(options: IndusagiOptions = {}): Dialect {
  const edition = options.edition ?? "rust";
  const tools: Readonly<Record<string, AnyFace>> = {
    read: readFace(edition),
    ls: lsFace(edition),
    grep: grepFace(edition),
    find: findFace(edition),
    write: writeFace(edition),
    edit: editFace(edition),
    bash: bashFace(edition),
    todo_set: todoSetFace(edition),
    todo_read: todoReadFace(edition),
    process: processFace(edition),
  };
  return Object.freeze({
    name: edition === "rust" ? "indusagi" : `indusagi-${edition}`,
    tools,
    collections: collectionsOf(tools, {
      "read-only": READ_ONLY_NAMES,
      coding: [...READ_ONLY_NAMES, ...MUTATING_NAMES],
    }),
    unknownParameter: "ignore",
    hardCancelRejects: edition === "python",
    unknownTool: noSuchTool,
    toReadArtifact: readingArtifacts("read"),
    envelope: (outcome: ToolOutcome) => ({ id: outcome.id, output: outcome.output, is_error: outcome.isError }),
  });
}

/** The Rust edition. */
export const indusagiDialect: Dialect = indusagi();
