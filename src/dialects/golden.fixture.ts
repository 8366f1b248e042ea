/** What the tables of exact texts are made of: results of the tools, and how a dialect's host would see them. */
import { expect } from "vitest";
import {
  type Dialect,
  project,
  type RenderContext,
  standardBudget,
  type ToolOutcome,
  type ToolResult,
  type Truncation,
} from "../kernel/index.js";
import { detectEol, utf8Length, windowLines } from "../text/index.js";
import type { BashData, StreamData } from "../tools/bash/contract.js";
import type { ReadData } from "../tools/read/contract.js";
import type { WriteData } from "../tools/write/contract.js";
import { buddyDialect, haftDialect, indusagiDialect, zeroclawDialect } from "./index.js";

export const DIALECTS = {
  haft: haftDialect,
  indusagi: indusagiDialect,
  zeroclaw: zeroclawDialect,
  buddy: buddyDialect,
};

interface Seen {
  readonly envelope: unknown;
  readonly cuts: readonly Truncation[];
}

/** Renders a result in a dialect and puts the outcome into that dialect's envelope; for `haft` only its text. */
export function seenBy(
  dialect: Dialect,
  tool: string,
  result: ToolResult<unknown>,
  args: Readonly<Record<string, unknown>>,
  more: Partial<RenderContext> = {},
): Seen {
  const presenter = dialect.tools[tool];
  if (presenter === undefined) throw new Error(`${dialect.name} has no ${tool}`);
  const about = { arguments: args, budget: standardBudget(), cwd: "/w", notes: [], tool: presenter.name, ...more };
  const rendered = presenter.render(result, about);
  const cuts = [...(result.truncations ?? []), ...(rendered.truncations ?? [])];
  const outcome: ToolOutcome = {
    id: "c1",
    tool,
    output: project(rendered.content),
    isError: result.isError,
    status: result.isError ? "failed" : "ok",
    content: rendered.content,
    truncations: cuts,
    repairs: [],
    artifacts: [],
    decision: { rule: "test", effect: "allow", approver: null },
    audit: "a1",
  };
  return { envelope: dialect === haftDialect ? outcome.output : dialect.envelope(outcome), cuts };
}

export function readData(text: string, more: Partial<ReadData> = {}): ReadData {
  const lines = windowLines(text).length;
  return {
    path: "a.txt",
    kind: "text",
    encoding: "utf-8",
    hasBom: false,
    eol: detectEol(text),
    text,
    startLine: lines === 0 ? 0 : 1,
    endLine: lines,
    totalLines: lines,
    sizeBytes: utf8Length(text),
    truncatedLines: [],
    ...more,
  };
}

const HASH_A = "a".repeat(64);
export const HASH_B = "b".repeat(64);

export function writeData(more: Partial<WriteData> = {}): WriteData {
  return { path: "a.txt", created: true, bytes: 6, afterHash: HASH_A, ...more };
}

export function stream(head = "", more: Partial<StreamData> = {}): StreamData {
  return { head, tail: "", notable: [], bytes: utf8Length(head), omittedBytes: 0, ...more };
}

export function bashData(more: Partial<BashData> = {}): BashData {
  return {
    ended: "itself",
    began: "yes",
    exitCode: 0,
    signal: null,
    stdout: stream(),
    stderr: stream(),
    survivors: [],
    tree: "gone",
    endedBy: null,
    timeoutMs: 60_000,
    durationMs: 12,
    ...more,
  };
}

export function succeeded(data: unknown): ToolResult<unknown> {
  return { content: [], isError: false, data };
}

export function failedWith(
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  data?: unknown,
): ToolResult<unknown> {
  return { content: [], isError: true, code, message, details, ...(data === undefined ? {} : { data }) };
}

/** One result and the exact text that each dialect gives it. */
export interface Golden {
  readonly ids: readonly string[];
  readonly situation: string;
  readonly result: ToolResult<unknown>;
  /** What the model had sent. Default: `args` of the table. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly haft: string;
  readonly indusagi: string;
  readonly zeroclaw: { readonly output: string; readonly error: string | null };
  readonly buddy: string;
}

/** What ZeroClaw makes of a success. */
export const said = (output: string): Golden["zeroclaw"] => ({ output, error: null });

/** What ZeroClaw makes of a failure. */
export const refused = (error: string, output = ""): Golden["zeroclaw"] => ({ output, error });

/** Fails unless every dialect gives the result its text, in the envelope of that dialect's host. */
export function expectGolden(
  tool: string,
  golden: Golden,
  args: Readonly<Record<string, unknown>>,
  more: Partial<RenderContext> = {},
): void {
  const { isError } = golden.result;
  const envelope = (dialect: Dialect) => seenBy(dialect, tool, golden.result, golden.args ?? args, more).envelope;
  expect(envelope(DIALECTS.haft)).toBe(golden.haft);
  expect(envelope(DIALECTS.indusagi)).toEqual({ id: "c1", output: golden.indusagi, is_error: isError });
  expect(envelope(DIALECTS.zeroclaw)).toEqual({ success: !isError, ...golden.zeroclaw });
  expect(envelope(DIALECTS.buddy)).toBe(golden.buddy);
}
