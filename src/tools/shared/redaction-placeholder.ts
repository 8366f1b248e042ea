import { fail, type ToolResult } from "../../kernel/index.js";
import { hasLoneSurrogate } from "../../text/index.js";
import { quoted } from "./path-input.js";

const PLACEHOLDER = /⟦redacted:[^⟧\n]*⟧/;

/**
 * A refusal of text that must not reach a file: a mark that stands for a secret would destroy the secret, and half of a
 * character would become another one.
 */
export function refuseText(text: string, parameter: string, verb: string, path: string): ToolResult<never> | undefined {
  const placeholder = PLACEHOLDER.exec(text)?.[0];
  const problem =
    placeholder !== undefined
      ? `\`${parameter}\` holds ${placeholder}, which stands for a redacted secret. Change only the lines around it`
      : hasLoneSurrogate(text)
        ? `\`${parameter}\` contains a lone surrogate (half a character). Send whole characters`
        : undefined;
  if (problem === undefined) return undefined;
  return fail("CALL_INVALID", `Did not ${verb} ${quoted(path)}: ${problem}.`, { details: { parameter, problem } });
}
