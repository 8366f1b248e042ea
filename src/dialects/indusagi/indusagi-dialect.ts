import type { AnyPresenter, Dialect, ToolOutcome } from "../../kernel/index.js";
import { collectionsOf } from "../collections.js";
import { artifactHintFor } from "../rendering.js";
import { indusagiBashPresenter } from "./bash.js";
import { indusagiEditPresenter } from "./edit.js";
import type { IndusagiEdition } from "./edition.js";
import { indusagiFindPresenter } from "./find.js";
import { indusagiGrepPresenter } from "./grep.js";
import { indusagiLsPresenter } from "./ls.js";
import { noSuchTool } from "./messages.js";
import { indusagiProcessPresenter } from "./process.js";
import { indusagiReadPresenter } from "./read.js";
import { indusagiTodoReadPresenter, indusagiTodoSetPresenter } from "./todo.js";
import { indusagiWebfetchPresenter } from "./webfetch.js";
import { indusagiWebsearchPresenter } from "./websearch.js";
import { indusagiWritePresenter } from "./write.js";

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
  const tools: Readonly<Record<string, AnyPresenter>> = {
    read: indusagiReadPresenter(edition),
    ls: indusagiLsPresenter(edition),
    grep: indusagiGrepPresenter(edition),
    find: indusagiFindPresenter(edition),
    websearch: indusagiWebsearchPresenter(edition),
    webfetch: indusagiWebfetchPresenter(edition),
    write: indusagiWritePresenter(edition),
    edit: indusagiEditPresenter(edition),
    bash: indusagiBashPresenter(edition),
    todo_set: indusagiTodoSetPresenter(edition),
    todo_read: indusagiTodoReadPresenter(edition),
    process: indusagiProcessPresenter(edition),
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
    artifactHint: artifactHintFor("read"),
    envelope: (outcome: ToolOutcome) => ({ id: outcome.id, output: outcome.output, is_error: outcome.isError }),
  });
}

/** The Rust edition. */
export const indusagiDialect: Dialect = indusagi();
