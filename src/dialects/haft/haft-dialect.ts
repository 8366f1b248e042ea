import type { Cut, Dialect, ToolOutcome } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { collectionsOf } from "../collections.js";
import { readingArtifacts } from "../rendering.js";
import { bashFace } from "./bash-face.js";
import { deleteFace } from "./delete-face.js";
import { editFace } from "./edit-face.js";
import { findFace } from "./find-face.js";
import { grepFace } from "./grep-face.js";
import { lsFace } from "./ls-face.js";
import { moveFace } from "./move-face.js";
import { processFace } from "./process-face.js";
import { readFace } from "./read-face.js";
import { timeFace } from "./time-face.js";
import { todoReadFace, todoSetFace } from "./todo-faces.js";
import { writeFace } from "./write-face.js";

const tools = {
  read: readFace,
  ls: lsFace,
  grep: grepFace,
  find: findFace,
  write: writeFace,
  edit: editFace,
  move: moveFace,
  delete: deleteFace,
  bash: bashFace,
  process: processFace,
  todo_set: todoSetFace,
  todo_read: todoReadFace,
  time: timeFace,
} as const;

/** The default: short schemas, every limit told, every answer with its next step. */
export const haftDialect: Dialect = Object.freeze({
  name: "haft",
  tools,
  collections: collectionsOf(tools, {
    "read-only": ["read", "ls", "grep", "find"],
    coding: ["read", "ls", "grep", "find", "write", "edit", "bash", "process", "todo_set", "todo_read"],
  }),
  unknownParameter: "refuse",
  unknownTool(name: string, nearest: readonly string[]): string {
    const near =
      nearest.length === 0 ? "Use one of the tools that were listed." : `The nearest: ${nearest.join(", ")}.`;
    return `There is no tool "${showControls(name)}". ${near}`;
  },
  toReadArtifact: readingArtifacts("read"),
  cutNote(cut: Cut): string {
    const left = cut.producedBytes - cut.keptBytes;
    return `note: ${left} bytes of ${showControls(cut.what)} were left out.${cut.next === undefined ? "" : ` ${cut.next}`}`;
  },
  envelope: haftEnvelope,
});

/** The outcome without its blocks, which `output` already shows. */
function haftEnvelope(outcome: ToolOutcome): unknown {
  const { content: _, ...rest } = outcome;
  return rest;
}
