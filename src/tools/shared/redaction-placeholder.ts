import { fail, type ToolResult } from "../../kernel/index.js";
import { hasLoneSurrogate, REDACTION_MARK } from "../../text/index.js";
import { quoted } from "./path-input.js";

const PLACEHOLDER = new RegExp(REDACTION_MARK);

/**
 * Refuses text that must not be written: a redaction placeholder would destroy the secret, and a lone surrogate
 * would become another character.
 */
export function refuseText(text: string, parameter: string, verb: string, path: string): ToolResult<never> | undefined {
  const placeholder = PLACEHOLDER.exec(text)?.[0];
  const problem =
    placeholder !== undefined
      ? `\`${parameter}\` contains ${placeholder}, which stands for a secret that is not shown: the file has the secret itself. ${
          verb === "write"
            ? "Use `edit` and change only the text around it"
            : "Leave it out and edit only the text around it"
        }`
      : hasLoneSurrogate(text)
        ? `\`${parameter}\` contains a lone surrogate (half a character). Send whole characters`
        : undefined;
  if (problem === undefined) return undefined;
  return fail("CALL_INVALID", `Did not ${verb} ${quoted(path)}: ${problem}.`, { details: { parameter, problem } });
}
