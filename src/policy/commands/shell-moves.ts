/** How a command changes the directory of the shell that runs it. */
import type { ExpandedWord } from "./expanded-word.js";
import type { ShellState } from "./shell-state.js";

const MOVES = new Set(["set", "cd", "chdir", "pushd", "popd", "source", ".", "eval", "trap", "builtin", "command"]);

/** Whether running the words may leave the shell in another directory. */
export function movesShell(words: readonly ExpandedWord[]): boolean {
  const [first] = words;
  return first !== undefined && (first.isUnresolved || first.isGlob || MOVES.has(first.value));
}

/** Changes `state` to what holds after the shell has run `words` successfully. */
export function moveShell(words: readonly ExpandedWord[], state: ShellState): void {
  const [first, ...args] = words;
  if (first === undefined) return;
  if (first.isUnresolved || first.isGlob) {
    state.directories = undefined;
    return;
  }
  switch (first.value) {
    case "builtin":
    case "command":
      moveShell(args, state);
      return;
    case "set":
      // `cd` follows symlinks from here.
      if (args.some(({ value, isUnresolved }) => isUnresolved || /^[-+]\w*P|^physical$/.test(value)))
        state.directories = undefined;
      return;
    case "cd":
    case "chdir":
      changeDirectory(args, state);
      return;
    case "pushd":
      if (args.length === 1 && /^[^-+~]/.test(args[0]?.prefix ?? "")) changeDirectory(args, state);
      else state.directories = undefined;
      return;
    case "popd":
    case "source":
    case ".":
      state.directories = undefined;
      return;
    case "eval":
    case "trap":
      if (args.some(({ isUnresolved, value }) => isUnresolved || /cd|pushd|popd|source|\./.test(value))) {
        state.directories = undefined;
      }
  }
}

function changeDirectory(args: readonly ExpandedWord[], state: ShellState): void {
  const targets = args.filter(({ value, isUnresolved }) => isUnresolved || !/^-[LPe@]*$/.test(value) || value === "-");
  const [target] = targets.filter(({ value }) => value !== "--");
  if (target !== undefined) {
    if (target.value === "-" && !target.isUnresolved) state.directories = undefined;
    else state.enter(target);
  } else state.directories = state.home === undefined ? undefined : [state.home];
}
