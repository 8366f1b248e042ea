import type { Dialect } from "../../kernel/index.js";
import { collectionsOf } from "../collections.js";
import { artifactHintFor } from "../rendering.js";
import {
  cronAddPresenter,
  cronListPresenter,
  cronRemovePresenter,
  cronRunPresenter,
  cronRunsPresenter,
  cronUpdatePresenter,
} from "./cron.js";
import { zeroclawEnvelope } from "./envelope.js";
import { fileReadPresenter } from "./file-read.js";
import { fileWritePresenter } from "./file-write.js";
import { httpRequestPresenter } from "./http-request.js";
import { memoryForgetPresenter, memoryRecallPresenter, memoryStorePresenter } from "./memory.js";
import { shellPresenter } from "./shell.js";
import { webFetchPresenter } from "./web-fetch.js";

const tools = {
  bash: shellPresenter,
  read: fileReadPresenter,
  write: fileWritePresenter,
  http_request: httpRequestPresenter,
  webfetch: webFetchPresenter,
  cron_add: cronAddPresenter,
  cron_list: cronListPresenter,
  cron_remove: cronRemovePresenter,
  cron_update: cronUpdatePresenter,
  cron_run: cronRunPresenter,
  cron_runs: cronRunsPresenter,
  memory_store: memoryStorePresenter,
  memory_recall: memoryRecallPresenter,
  memory_forget: memoryForgetPresenter,
} as const;

/** The ZeroClaw toolset as far as it exists: shell, file_read, file_write, http_request, web_fetch, memory and cron jobs with their exact texts, limits and policy. */
export const zeroclawDialect: Dialect = Object.freeze({
  name: "zeroclaw",
  tools,
  collections: collectionsOf(tools, { default: ["shell", "file_read", "file_write"] }),
  policyPreset: "zeroclaw",
  unknownParameter: "ignore",
  unknownTool: (name: string) => `Unknown tool: ${name}`,
  artifactHint: artifactHintFor(fileReadPresenter.name),
  envelope: zeroclawEnvelope,
});
