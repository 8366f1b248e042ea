/** Checks what a tool returned before anything uses it. */
import { truncateToHead } from "../text/index.js";
import { isRecord } from "./coerce.js";
import { messageOf } from "./errors.js";
import { fail, type ToolResult } from "./result.js";

/** The result that a tool returned, or the failure that says why it is invalid. */
export function validateToolResult(returned: unknown, toolName: string): ToolResult {
  const why = resultProblem(returned);
  if (why === undefined) return returned as ToolResult;
  return fail(
    "CALL_MALFORMED",
    `\`${toolName}\` did not return a valid tool result: ${why}. The author of the tool can make one with \`text\`, \`json\` or \`failure\`.`,
    { details: { why } },
  );
}

function resultProblem(returned: unknown): string | undefined {
  if (!isRecord(returned)) return `it is ${Array.isArray(returned) ? "an array" : `the value ${shownValue(returned)}`}`;
  const { content, isError, code, message, truncations, urls } = returned;
  if (typeof isError !== "boolean") return "`isError` must be a boolean";
  if (!Array.isArray(content) || !content.every(isBlock)) return "`content` must be an array of content blocks";
  if (code !== undefined && typeof code !== "string") return "`code` must be a string";
  if (message !== undefined && typeof message !== "string") return "`message` must be a string";
  if (truncations !== undefined && !(Array.isArray(truncations) && truncations.every(isRecord)))
    return "`truncations` must be an array of truncations";
  if (urls !== undefined && !(Array.isArray(urls) && urls.every((url) => typeof url === "string")))
    return "`urls` must be an array of strings";
  return undefined;
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
