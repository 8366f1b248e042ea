import { fail, type ToolResult } from "../../kernel/index.js";
import { quoted } from "./path-input.js";

/**
 * Refuses an invalid limit.
 *
 * @param verb - The verb after "Did not".
 */
export function refuseLimit(limit: number | undefined, verb: string, path: string): ToolResult<never> | undefined {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1)) return undefined;
  const problem = `\`limit\` was ${limit}; must be an integer of at least 1`;
  return fail("CALL_INVALID", `Did not ${verb} ${quoted(path)}: ${problem}.`, {
    details: { parameter: "limit", problem },
  });
}
