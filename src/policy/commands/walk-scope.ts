/** The place of a node in the walk of a script. */
import type { CommandPlace } from "./judge-words.js";
import type { ProgramInput } from "./segment-facts.js";

export interface Scope extends CommandPlace {
  /** What positions of the nodes are in. */
  readonly source: string;
  readonly input?: ProgramInput | undefined;
  /** Inside of `[[ ]]`, where parentheses and extended globs are part of words. */
  readonly isTest?: boolean;
}

/** Written out: spreading it was a fifteenth of the time of a long command. */
export function inPipe(
  { state, wrappers, depth, isRemote, source, isTest }: Scope,
  input: ProgramInput | undefined,
): Scope {
  return {
    state: state.copy(),
    wrappers,
    depth,
    isRemote,
    source,
    input,
    ...(isTest === true ? { isTest } : undefined),
  };
}
