/** What `memory_store`, `memory_recall` and `memory_forget` take and return. */
import type { FoundMemory, InferInput, JsonSchema } from "../../kernel/index.js";

export const MEMORY_CATEGORIES = ["core", "daily", "conversation"] as const;
export const DEFAULT_CATEGORY = "core";
export const DEFAULT_RECALL_LIMIT = 5;
export const MAX_RECALL_LIMIT = 50;

const tags = { type: "array", items: { type: "string" } } as const;

export const memoryStoreSchema = {
  type: "object",
  properties: {
    key: { type: "string" },
    content: { type: "string" },
    category: { type: "string", description: "core (default), daily, conversation, or your own" },
    tags,
  },
  required: ["key", "content"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export const memoryRecallSchema = {
  type: "object",
  properties: {
    query: { type: "string", description: "Words, or parts of them; none: the newest" },
    limit: { type: "integer", minimum: 1, maximum: MAX_RECALL_LIMIT, description: `Default ${DEFAULT_RECALL_LIMIT}` },
    category: { type: "string" },
    since: { type: "string", description: "Date or RFC 3339 time, inclusive" },
    until: { type: "string", description: "Exclusive" },
    tags,
  },
  additionalProperties: false,
} as const satisfies JsonSchema;

export const memoryForgetSchema = {
  type: "object",
  properties: { key: { type: "string" } },
  required: ["key"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type MemoryStoreInput = InferInput<typeof memoryStoreSchema>;
export type MemoryRecallInput = InferInput<typeof memoryRecallSchema>;
export type MemoryForgetInput = InferInput<typeof memoryForgetSchema>;

export interface MemoryStoreLimits {
  /** Entries of these categories are deleted at this age, unless they are pinned. Null: none. */
  readonly retention: {
    readonly categories: readonly string[];
    readonly maxAgeMs: number;
    /** How often that is looked for at most, in milliseconds. */
    readonly everyMs: number;
  } | null;
}

export interface MemoryRecallLimits {
  /** The score of an entry halves with each `halfLifeMs` of its age, but not in the categories `lasting`. Null: it does not. */
  readonly decay: { readonly halfLifeMs: number; readonly lasting: readonly string[] } | null;
}

export interface MemoryStoreData {
  /** As it is stored: without secrets. */
  readonly key: string;
  readonly category: string;
  /** When the version was stored that it replaces, in milliseconds since the epoch. */
  readonly replacedMs?: number;
  /** Whether a secret was taken out of it. */
  readonly isRedacted: boolean;
}

export interface MemoryRecallData {
  readonly query?: string;
  /** The best first. */
  readonly entries: readonly FoundMemory[];
}

export interface MemoryForgetData {
  readonly key: string;
  readonly isForgotten: boolean;
}
