import type { Dialect, ToolOutcome } from "../../kernel/index.js";
import { collectionsOf } from "../collections.js";
import { artifactHintFor, textOfBlocks } from "../rendering.js";
import { fetchUrlPresenter } from "./fetch-url.js";
import { unknownTool } from "./messages.js";
import { readFilePresenter } from "./read-file.js";
import { runShellPresenter } from "./run-shell.js";
import { webSearchPresenter } from "./web-search.js";
import { writeFilePresenter } from "./write-file.js";

const tools = {
  bash: runShellPresenter,
  read: readFilePresenter,
  write: writeFilePresenter,
  webfetch: fetchUrlPresenter,
  websearch: webSearchPresenter,
} as const;

/** The buddy toolset as far as it exists: run_shell, read_file, write_file, fetch_url and web_search. Every result is one string (BD-005). */
export const buddyDialect: Dialect = Object.freeze({
  name: "buddy",
  tools,
  collections: collectionsOf(tools, { default: ["run_shell", "read_file", "write_file", "fetch_url", "web_search"] }),
  unknownParameter: "ignore",
  unknownTool,
  artifactHint: artifactHintFor(readFilePresenter.name),
  envelope: (outcome: ToolOutcome) => textOfBlocks(outcome.content),
});
