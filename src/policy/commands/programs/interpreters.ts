/** What interpreters have in common: code comes from an option, a file or stdin. */
import type { ProgramCall } from "../program-spec.js";

/** Without a file and without one of `options`, an interpreter runs what comes from stdin. */
export function readsProgram({ parsed, facts }: ProgramCall, options: readonly string[]): void {
  const [first] = parsed.operands;
  if (first !== undefined && first.value !== "-") return;
  if (first === undefined && parsed.options.some(({ name }) => options.includes(name))) return;
  facts.raise("high", "runs code that comes from stdin");
}
