/** Whether a target has a terminal, without opening it. */
import type { Backend } from "../kernel/index.js";
import type { ChosenTarget } from "./chosen-target.js";
import { splitTerminal } from "./target-terminal.js";

/** Known from its string, such as "local+tmux" or "ssh:host+tmux=main", or from the backend that it names. */
export function hasTerminal(
  { target }: Pick<ChosenTarget, "target">,
  backends: Readonly<Record<string, Backend>> = {},
): boolean {
  if (Object.hasOwn(backends, target)) return backends[target]?.flags.terminal === true;
  return splitTerminal(target).terminal !== undefined;
}
