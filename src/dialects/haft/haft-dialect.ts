import type { Dialect, ToolOutcome, Truncation } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { collectionsOf } from "../collections.js";
import { artifactHintFor } from "../rendering.js";
import { haftBashPresenter } from "./bash.js";
import { haftCapturePanePresenter } from "./capture-pane.js";
import { haftCopyPresenter } from "./copy.js";
import {
  haftCronAddPresenter,
  haftCronListPresenter,
  haftCronRemovePresenter,
  haftCronRunPresenter,
  haftCronRunsPresenter,
  haftCronUpdatePresenter,
} from "./cron.js";
import { haftDeletePresenter } from "./delete.js";
import { haftEditPresenter } from "./edit.js";
import { haftFindPresenter } from "./find.js";
import { haftGrepPresenter } from "./grep.js";
import { haftHttpRequestPresenter } from "./http-request.js";
import { haftLsPresenter } from "./ls.js";
import { haftMemoryForgetPresenter, haftMemoryRecallPresenter, haftMemoryStorePresenter } from "./memory.js";
import { haftMovePresenter } from "./move.js";
import { haftPanesPresenter } from "./panes.js";
import { haftProcessPresenter } from "./process.js";
import { haftReadPresenter } from "./read.js";
import { haftSendKeysPresenter } from "./send-keys.js";
import { haftTimePresenter } from "./time.js";
import { haftTodoReadPresenter, haftTodoSetPresenter } from "./todo.js";
import { haftWebfetchPresenter } from "./webfetch.js";
import { haftWebsearchPresenter } from "./websearch.js";
import { haftWritePresenter } from "./write.js";

const tools = {
  read: haftReadPresenter,
  ls: haftLsPresenter,
  grep: haftGrepPresenter,
  find: haftFindPresenter,
  write: haftWritePresenter,
  edit: haftEditPresenter,
  move: haftMovePresenter,
  copy: haftCopyPresenter,
  delete: haftDeletePresenter,
  bash: haftBashPresenter,
  process: haftProcessPresenter,
  todo_set: haftTodoSetPresenter,
  todo_read: haftTodoReadPresenter,
  time: haftTimePresenter,
  webfetch: haftWebfetchPresenter,
  websearch: haftWebsearchPresenter,
  http_request: haftHttpRequestPresenter,
  cron_add: haftCronAddPresenter,
  cron_list: haftCronListPresenter,
  cron_remove: haftCronRemovePresenter,
  cron_update: haftCronUpdatePresenter,
  cron_run: haftCronRunPresenter,
  cron_runs: haftCronRunsPresenter,
  capture_pane: haftCapturePanePresenter,
  send_keys: haftSendKeysPresenter,
  panes: haftPanesPresenter,
  memory_store: haftMemoryStorePresenter,
  memory_recall: haftMemoryRecallPresenter,
  memory_forget: haftMemoryForgetPresenter,
} as const;

export { haftScheduledBashPresenter } from "./bash.js";

/** The default: short schemas, every limit stated, every failure with its next step. */
export const haftDialect: Dialect = Object.freeze({
  name: "haft",
  tools,
  collections: collectionsOf(tools, {
    "read-only": ["read", "ls", "grep", "find", "webfetch", "websearch", "capture_pane"],
    coding: [
      "read",
      "ls",
      "grep",
      "find",
      "write",
      "edit",
      "bash",
      "process",
      "todo_set",
      "todo_read",
      "webfetch",
      "websearch",
      "capture_pane",
      "send_keys",
      "panes",
    ],
    schedules: ["cron_add", "cron_list", "cron_remove", "cron_update", "cron_run", "cron_runs"],
    memory: ["memory_store", "memory_recall", "memory_forget"],
  }),
  unknownParameter: "refuse",
  unknownTool(name: string, nearest: readonly string[]): string {
    const near = nearest.length === 0 ? "Use one of the listed tools." : `Did you mean ${nearest.join(", ")}?`;
    return `Unknown tool "${showControls(name)}". ${near}`;
  },
  artifactHint: artifactHintFor("read"),
  truncationNote(truncation: Truncation): string {
    const left = truncation.producedBytes - truncation.keptBytes;
    return `note: ${left} bytes of ${showControls(truncation.what)} were omitted.${truncation.next === undefined ? "" : ` ${truncation.next}`}`;
  },
  envelope: haftEnvelope,
});

/** The outcome without its blocks, which `output` already shows, and without what only programs read. */
function haftEnvelope(outcome: ToolOutcome): unknown {
  const { content: _, tool: _tool, data: _data, ...rest } = outcome;
  return rest;
}
