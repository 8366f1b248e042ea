import type { Dialect } from "../../kernel/index.js";
import { collectionsOf } from "../collections.js";
import { readingArtifacts } from "../rendering.js";
import { zeroclawEnvelope } from "./envelope.js";
import { fileReadFace } from "./file-read-face.js";
import { fileWriteFace } from "./file-write-face.js";
import { shellFace } from "./shell-face.js";

const tools = { bash: shellFace, read: fileReadFace, write: fileWriteFace } as const;

/** The ZeroClaw toolset as far as it exists: shell, file_read and file_write with their exact texts and limits. */
export const zeroclawDialect: Dialect = Object.freeze({
  name: "zeroclaw",
  tools,
  collections: collectionsOf(tools, { default: ["shell", "file_read", "file_write"] }),
  unknownParameter: "ignore",
  unknownTool: (name: string) => `Unknown tool: ${name}`,
  toReadArtifact: readingArtifacts(fileReadFace.name),
  envelope: zeroclawEnvelope,
});
