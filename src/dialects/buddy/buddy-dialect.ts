import type { Dialect, ToolOutcome } from "../../kernel/index.js";
import { collectionsOf } from "../collections.js";
import { artifactHintFor, textOfBlocks } from "../rendering.js";
import { capturePanePresenter } from "./capture-pane.js";
import { fetchUrlPresenter } from "./fetch-url.js";
import { unknownTool } from "./messages.js";
import { readFilePresenter } from "./read-file.js";
import { runShellPresenter } from "./run-shell.js";
import { sendKeysPresenter } from "./send-keys.js";
import { timePresenter } from "./time.js";
import { webSearchPresenter } from "./web-search.js";
import { writeFilePresenter } from "./write-file.js";

const tools = {
  bash: runShellPresenter,
  read: readFilePresenter,
  write: writeFilePresenter,
  webfetch: fetchUrlPresenter,
  websearch: webSearchPresenter,
  capture_pane: capturePanePresenter,
  send_keys: sendKeysPresenter,
  time: timePresenter,
} as const;

/** The buddy toolset. Every result is one string (BD-005); the tools for panes exist where a target has a terminal (BD-008). */
export const buddyDialect: Dialect = Object.freeze({
  name: "buddy",
  tools,
  collections: collectionsOf(tools, { default: Object.values(tools).map(({ name }) => name) }),
  unknownParameter: "ignore",
  unknownTool,
  artifactHint: artifactHintFor(readFilePresenter.name),
  envelope: (outcome: ToolOutcome) => textOfBlocks(outcome.content),
});
