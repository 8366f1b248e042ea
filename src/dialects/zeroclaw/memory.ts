import type { FoundMemory, ToolPresenter } from "../../kernel/index.js";
import { stripControls } from "../../text/index.js";
import {
  DEFAULT_CATEGORY,
  DEFAULT_RECALL_LIMIT,
  MAX_RECALL_LIMIT,
  MEMORY_CATEGORIES,
  type MemoryForgetData,
  type MemoryForgetInput,
  type MemoryRecallData,
  type MemoryRecallInput,
  type MemoryRecallLimits,
  type MemoryStoreData,
  type MemoryStoreInput,
  type MemoryStoreLimits,
} from "../../tools/memory/contract.js";
import { missing, numberArgument, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { callError } from "./call-error.js";
import { failed } from "./envelope.js";
import * as messages from "./messages.js";

/** Before a line of a content that would read as the next memory. */
const ENTRY_LIKE = /(?<=[\n\u2028\u2029])(?=[^\S\n]{0,3}[-*+] \*\*)/g;
const DAY_MS = 24 * 60 * 60 * 1_000;

export const memoryStorePresenter: ToolPresenter<MemoryStoreInput, MemoryStoreData, MemoryStoreLimits> = {
  name: "memory_store",
  description: "Store a fact or decision in long-term memory",
  parameters: {
    type: "object",
    properties: {
      key: { type: "string", description: "Memory key (unique identifier)" },
      content: { type: "string", description: "Content to remember" },
      category: {
        type: "string",
        enum: [...MEMORY_CATEGORIES],
        description: "Memory category",
        default: DEFAULT_CATEGORY,
      },
    },
    required: ["key", "content"],
  },
  unknownValues: { category: DEFAULT_CATEGORY },
  // ZC-040: what is not core is deleted after 30 days; that is looked for every 12 hours at most.
  limits: {
    retention: { categories: ["daily", "conversation"], maxAgeMs: 30 * DAY_MS, everyMs: DAY_MS / 2 },
  },
  decode(args) {
    const key = textArgument(args, "key");
    const content = textArgument(args, "content");
    if (key === undefined) return missing("key", "string");
    if (content === undefined) return missing("content", "string");
    const category = MEMORY_CATEGORIES.find((one) => one === args.category) ?? DEFAULT_CATEGORY;
    return { input: { key, content, category } };
  },
  render(result) {
    if (result.data === undefined) return failed(callError(result, messages.memoryStoreFailed, "memory_store"));
    return textResult(messages.memoryStored(result.data.key), { clamped: true });
  },
};

export const memoryRecallPresenter: ToolPresenter<MemoryRecallInput, MemoryRecallData, MemoryRecallLimits> = {
  name: "memory_recall",
  description: "Search long-term memory for relevant facts",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "Search query" },
      limit: { type: "integer", description: "Maximum number of results", default: DEFAULT_RECALL_LIMIT },
    },
    required: ["query"],
  },
  acceptsEmpty: ["query"],
  // ZC-040
  limits: { decay: { halfLifeMs: 7 * DAY_MS, lasting: ["core"] } },
  decode(args) {
    const query = textArgument(args, "query");
    if (query === undefined) return missing("query", "string");
    const limit = numberArgument(args, "limit") ?? DEFAULT_RECALL_LIMIT;
    // None were to be found for 0; that would read as if there were none.
    return { input: { query, limit: limit < 1 ? DEFAULT_RECALL_LIMIT : Math.min(MAX_RECALL_LIMIT, limit) } };
  },
  render(result) {
    if (result.data === undefined) return failed(callError(result, messages.memoryRecallFailed, "memory_recall"));
    const { entries } = result.data;
    if (entries.length === 0) return textResult(messages.noMemories, { clamped: true });
    return textResult(messages.memoriesFound(entries.length) + entries.map(lineOf).join(""));
  },
};

export const memoryForgetPresenter: ToolPresenter<MemoryForgetInput, MemoryForgetData> = {
  name: "memory_forget",
  description: "Delete the memory of a key",
  parameters: {
    type: "object",
    properties: { key: { type: "string", description: "Memory key (unique identifier)" } },
    required: ["key"],
  },
  acceptsEmpty: ["key"],
  decode(args) {
    const key = textArgument(args, "key");
    return key === undefined ? missing("key", "string") : { input: { key } };
  },
  render(result) {
    if (result.data === undefined) return failed(callError(result, messages.memoryForgetFailed, "memory_forget"));
    const { key, isForgotten } = result.data;
    return textResult(isForgotten ? messages.memoryForgotten(key) : messages.noMemoryOf(key), { clamped: true });
  },
};

function lineOf({ key, content }: FoundMemory): string {
  return messages.memoryLine(key, stripControls(content).text.replaceAll(ENTRY_LIKE, "  "));
}
