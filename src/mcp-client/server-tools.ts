/** Tools that another MCP server lists, as tools of ours. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type DefinedTool, defineTool, type ToolContext, type ToolResult } from "../kernel/index.js";
import { cleanText } from "./clean-text.js";
import { readServerSchema } from "./server-schema.js";

/** Tools of one server; further ones are omitted and reported. */
export const MAX_TOOLS = 256;
const MAX_NAME = 64;
const HASH_DIGITS = 8;
/** Left-out tools that are reported one by one. */
const MAX_NAMES_LISTED = 8;
const SHOWN_NAME_BYTES = 80;

/** Bytes of all schemas of one server: compiling them keeps this process busy. */
const MAX_SCHEMAS_BYTES = 256 * 1024;

interface ServerToolsOptions {
  /** The name that the server is configured under. */
  readonly server: string;
  /** Names that are taken. */
  has(name: string): boolean;
  /** Whether the configuration lets a tool of this name of ours be offered. */
  isOn(name: string): boolean;
  /** Milliseconds that a call may take in all, whatever progress is reported; the server's own timeout and a cancel end it before. */
  readonly maxCallMs: number;
  call(tool: string, input: Readonly<Record<string, unknown>>, ctx: ToolContext): Promise<ToolResult<never>>;
}

interface ServerTools {
  readonly tools: readonly DefinedTool[];
  /** Why some are not offered, as sentences; a bounded number of them. */
  readonly notes: readonly string[];
}

/** The tools that can be offered, each under a name of its own, and what is reported of the others. Never rejects. */
export async function serverTools(listed: readonly unknown[], options: ServerToolsOptions): Promise<ServerTools> {
  const tools = new Map<string, DefinedTool>();
  const left: string[] = [];
  let leftBytes = MAX_SCHEMAS_BYTES;
  const names = offeredNames(options.server, listed.slice(0, MAX_TOOLS).map(nameOf));
  for (const one of listed.slice(0, MAX_TOOLS)) {
    const given = typeof one === "object" && one !== null ? (one as Readonly<Record<string, unknown>>) : {};
    const name = nameOf(one);
    const ours = names.get(name);
    if (ours === undefined) {
      left.push("a tool without a name");
      continue;
    }
    if (!options.isOn(ours)) continue;
    const shown = JSON.stringify(cleanText(name, SHOWN_NAME_BYTES));
    if (tools.has(ours) || options.has(ours)) {
      left.push(`the tool ${shown}: another tool has the name ${ours}`);
      continue;
    }
    // Others get their turn between two schemas.
    await setImmediate();
    const read = await readServerSchema(given.inputSchema, leftBytes);
    if ("problem" in read) {
      left.push(`the tool ${shown}: ${read.problem}`);
      continue;
    }
    leftBytes -= read.bytes;
    tools.set(ours, toolOf(ours, name, given, read.schema, options));
  }
  const notes = left.slice(0, MAX_NAMES_LISTED).map((one) => `skipped ${one}`);
  if (left.length > MAX_NAMES_LISTED) notes.push(`skipped ${left.length - MAX_NAMES_LISTED} more tools`);
  if (listed.length > MAX_TOOLS) notes.push(`skipped ${listed.length - MAX_TOOLS} tools after the first ${MAX_TOOLS}`);
  return { tools: [...tools.values()], notes };
}

function nameOf(listed: unknown): string {
  const name: unknown = typeof listed === "object" && listed !== null ? (listed as { name?: unknown }).name : undefined;
  return typeof name === "string" ? name : "";
}

/**
 * `server__tool` for each of the tools, with `_` for every character that providers of models do not take. Where that makes
 * two names one, those that it changed end in a hash of the name that they had, as one that is too long does: so each stays the
 * same from start to start, in whatever order they are listed. A tool without a name gets none.
 */
export function offeredNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map([...new Set(tools)].filter((tool) => tool !== "").map((tool) => [tool, cleaned(server, tool)]));
  const count = new Map<string, number>();
  for (const name of plain.values()) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, name]) => {
      const isShared = count.get(name)! > 1 && name !== `${server}__${tool}`;
      return [tool, isShared || name.length > MAX_NAME ? withHash(name, tool) : name];
    }),
  );
}

function cleaned(server: string, tool: string): string {
  return `${server}__${tool.slice(0, 4 * MAX_NAME).replace(/[^A-Za-z0-9_-]/gu, "_")}`;
}

function withHash(name: string, tool: string): string {
  const hash = createHash("sha256").update(tool).digest("hex").slice(0, HASH_DIGITS);
  return `${name.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${hash}`;
}

function toolOf(
  ours: string,
  theirs: string,
  { description, annotations, title }: Readonly<Record<string, unknown>>,
  schema: Readonly<Record<string, unknown>>,
  { server, maxCallMs, call }: ServerToolsOptions,
): DefinedTool {
  const hints = typeof annotations === "object" && annotations !== null ? annotations : {};
  const { destructiveHint, idempotentHint } = hints as Readonly<Record<string, unknown>>;
  const label = cleanText(title, SHOWN_NAME_BYTES);
  return defineTool({
    name: ours,
    description: cleanText(description) || `The tool ${cleanText(theirs, SHOWN_NAME_BYTES)} of the server "${server}".`,
    parameters: schema,
    // Whatever the server says of it: what a stranger calls a look may be none.
    effect: "write",
    annotations: {
      openWorld: true,
      ...(label === "" ? {} : { title: label }),
      ...(typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {}),
      ...(typeof idempotentHint === "boolean" ? { idempotent: idempotentHint } : {}),
    },
    deadlineMs: maxCallMs,
    claims: () => [{ kind: "server", server, tool: theirs }],
    run: (input, ctx) => call(theirs, input as Readonly<Record<string, unknown>>, ctx),
  });
}
