import type { Dialect, ToolOutcome } from "../../kernel/index.js";
import { collectionsOf } from "../collections.js";
import { readingArtifacts, textOfBlocks } from "../rendering.js";
import { unknownTool } from "./messages.js";
import { readFileFace } from "./read-file-face.js";
import { runShellFace } from "./run-shell-face.js";
import { writeFileFace } from "./write-file-face.js";

const tools = { bash: runShellFace, read: readFileFace, write: writeFileFace } as const;

/** The buddy toolset as far as it exists: run_shell, read_file and write_file. Every result is one string (BD-005). */
export const buddyDialect: Dialect = Object.freeze({
  name: "buddy",
  tools,
  collections: collectionsOf(tools, { default: ["run_shell", "read_file", "write_file"] }),
  unknownParameter: "ignore",
  unknownTool,
  toReadArtifact: readingArtifacts(readFileFace.name),
  envelope: (outcome: ToolOutcome) => textOfBlocks(outcome.content),
});
