/** The built-in tools: each takes its canonical input and returns data; a dialect gives them names, schemas and texts. */
import type { DataByTool, DefinedTool } from "../kernel/index.js";
import { bashTool } from "./bash/bash.js";
import { capturePaneTool } from "./capture-pane/capture-pane.js";
import { copyTool } from "./copy/copy.js";
import { cronListTool, cronRemoveTool, cronRunsTool, cronRunTool } from "./cron/cron.js";
import { cronAddTool, cronUpdateTool } from "./cron/cron-add.js";
import { deleteTool } from "./delete/delete.js";
import { editTool } from "./edit/edit.js";
import { findTool } from "./find/find.js";
import { grepTool } from "./grep/grep.js";
import { httpRequestTool } from "./http-request/http-request.js";
import { lsTool } from "./ls/ls.js";
import { memoryForgetTool, memoryRecallTool, memoryStoreTool } from "./memory/memory.js";
import { moveTool } from "./move/move.js";
import { panesTool } from "./panes/panes.js";
import { processTool } from "./process/process.js";
import { readTool } from "./read/read.js";
import { sendKeysTool } from "./send-keys/send-keys.js";
import { timeTool } from "./time/time.js";
import { todoReadTool, todoSetTool } from "./todo/todo.js";
import { webfetchTool } from "./webfetch/webfetch.js";
import { websearchTool } from "./websearch/websearch.js";
import { writeTool } from "./write/write.js";

export { type RunningHosts, SCHEDULE_LIMITS, type ShownRun, type ShownSchedule } from "./cron/contract.js";
export {
  foundSchedule,
  isFailure,
  runningHosts,
  runsOfRemoved,
  shownRun,
  shownSchedule,
} from "./cron/shown-schedule.js";
export type { CustomSearch, SearchOutcome, SearchProvider, SearchResult } from "./websearch/contract.js";
export {
  createProvider,
  type ProviderOptions,
  SEARCH_PROVIDERS,
  type SearchProviderName,
  searchProblem,
} from "./websearch/providers/create-provider.js";
export { GATES, type Gate } from "./write/contract.js";
export {
  bashTool,
  editTool,
  findTool,
  grepTool,
  lsTool,
  processTool,
  readTool,
  todoReadTool,
  todoSetTool,
  webfetchTool,
  websearchTool,
  writeTool,
};

const tools = [
  readTool,
  writeTool,
  editTool,
  moveTool,
  copyTool,
  deleteTool,
  lsTool,
  grepTool,
  findTool,
  bashTool,
  processTool,
  todoSetTool,
  todoReadTool,
  timeTool,
  webfetchTool,
  websearchTool,
  httpRequestTool,
  cronAddTool,
  cronListTool,
  cronRemoveTool,
  cronUpdateTool,
  cronRunTool,
  cronRunsTool,
  capturePaneTool,
  sendKeysTool,
  panesTool,
  memoryStoreTool,
  memoryRecallTool,
  memoryForgetTool,
] as const;

/** All of them, in the order in which they are registered. */
export const builtinTools: readonly DefinedTool[] = Object.freeze([...tools]);

/** Those that only a target with a terminal can serve. */
export const terminalTools: readonly DefinedTool[] = Object.freeze([capturePaneTool, sendKeysTool, panesTool]);

/** Those that only a state with schedules can serve. */
export const scheduleTools: readonly DefinedTool[] = Object.freeze([
  cronAddTool,
  cronListTool,
  cronRemoveTool,
  cronUpdateTool,
  cronRunTool,
  cronRunsTool,
]);

/** Those that only a state with memories can serve. */
export const memoryTools: readonly DefinedTool[] = Object.freeze([memoryStoreTool, memoryRecallTool, memoryForgetTool]);

/** What each built-in tool returns, by Haft's own names. */
export type BuiltinToolData = DataByTool<typeof tools>;

/** Haft's own names of the built-in tools. A dialect may give them others. */
export type BuiltinToolName = keyof BuiltinToolData;
