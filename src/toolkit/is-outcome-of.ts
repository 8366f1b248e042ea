import type { OutcomeOf, ToolOutcome } from "../kernel/index.js";
import type { BuiltinToolData, BuiltinToolName } from "../tools/index.js";

/** The outcome of a built-in tool, by Haft's own name of the tool. */
export type Outcome<Name extends BuiltinToolName> = OutcomeOf<BuiltinToolData, Name>;

/**
 * Whether an outcome is one of this built-in tool, under whichever name a dialect calls it: `outcome.data` then has the type
 * of that tool. A tool of the host that has taken the place of a built-in one has to return the same data.
 */
export function isOutcomeOf<Name extends BuiltinToolName>(outcome: ToolOutcome, name: Name): outcome is Outcome<Name> {
  return outcome.tool === name;
}
