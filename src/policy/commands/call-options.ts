/** The options of a call by name, for what the tables cannot say. */
import type { ExpandedWord } from "./expanded-word.js";
import type { ProgramCall } from "./program-spec.js";

/** The values of the options with one of these names, in order. */
export function optionValues(call: ProgramCall, ...names: string[]): ExpandedWord[] {
  return call.parsed.options.flatMap(({ name, values }) => (names.includes(name) ? values : []));
}

export const hasOption = (call: ProgramCall, ...names: string[]): boolean =>
  call.parsed.options.some(({ name }) => names.includes(name));
