/** What a third party's tool hands back is checked before anything is built on it. */
import { truncateToHead } from "../text/index.js";
import { isRecord } from "./coerce.js";
import { messageOf } from "./errors.js";
import { fail, type ToolResult } from "./result.js";

/** The result that a tool returned, or the failure that says why it is none. Never throws. */
export function validateToolResult(returned: unknown, toolName: string): ToolResult {
  const why = resultProblem(returned);
  if (why === undefined) return returned as ToolResult;
  return fail(
    "CALL_MALFORMED",
    `\`${toolName}\` ended, but what it returned is no tool result: ${why}. Its author can make one with \`text\`, \`json\` or \`failure\`.`,
    { details: { why } },
  );
}

function resultProblem(returned: unknown): string | undefined {
  try {
    if (!isRecord(returned)) return `it is ${Array.isArray(returned) ? "a list" : `the value ${shownValue(returned)}`}`;
    const { content, isError, code, message, cuts: truncations } = returned;
    if (typeof isError !== "boolean") return "`isError` is neither true nor false";
    if (!Array.isArray(content)) return "`content` is no list";
    if (!content.every(isBlock)) return "`content` holds something that is no block";
    if (code !== undefined && typeof code !== "string") return "`code` is no text";
    if (message !== undefined && typeof message !== "string") return "`message` is no text";
    if (truncations !== undefined && !(Array.isArray(truncations) && truncations.every(isRecord)))
      return "`cuts` is no list of cuts";
    return undefined;
  } catch {
    return "it cannot be read";
  }
}

const shownValue = (value: unknown): string => truncateToHead(messageOf(value), 40).text;

const BLOCKS: Readonly<Record<string, (block: Readonly<Record<string, unknown>>) => boolean>> = {
  text: ({ text }) => typeof text === "string",
  json: () => true,
  image: ({ data, mime }) => data instanceof Uint8Array && typeof mime === "string",
  resource: ({ uri, text }) => typeof uri === "string" && (text === undefined || typeof text === "string"),
};

function isBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block.kind !== "string" || !Object.hasOwn(BLOCKS, block.kind)) return false;
  return BLOCKS[block.kind]!(block);
}
