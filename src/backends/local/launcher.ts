/** How the commands of this machine can be confined: what a sandbox adds to this backend. */
import type { Access, BackendFlags } from "../../kernel/index.js";

/** How the shell of one command is started. */
export interface Launch {
  /** The program and its arguments. The command's own shell is at their end. */
  readonly argv: readonly string[];
  /** The environment of that program, which runs outside of the sandbox: nothing in it may come from the command. */
  readonly env: Readonly<Record<string, string>>;
  /** What it inherits as descriptors 3, 4 and so on; "stdin" is that of the command, whose own descriptor 0 is then at its end. */
  readonly descriptors?: readonly (number | "ignore" | "stdin")[];
  /** Called once the program has started or failed to. */
  dispose?(): void;
}

/**
 * Wraps the innermost shell of each command. What Haft starts around it, and the files with its status, stay outside, where the
 * command cannot reach them.
 *
 * The command must run in a PID namespace of its own, whose first process ends when no other is left.
 */
export interface Launcher {
  readonly flags: BackendFlags;
  /** An existing directory that commands can read and not change: files with long commands are written there. */
  readonly scripts: string;
  /**
   * @param env - All variables of the command.
   * @param hasInput - Whether its stdin is a pipe that stays open. Then only the command may keep the end that is read: otherwise a
   *   write after the command has closed it would be taken for read.
   * @returns `problem` says why the command cannot start, as a clause.
   */
  wrap(
    argv: readonly string[],
    start: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly hasInput: boolean },
  ): Launch | { readonly problem: string };
  /** Why file tools may not use this real path, as a clause with the next step; undefined if they may. */
  refusal(real: string, access: Access): string | undefined;
  /** Real paths that `refusal` refuses to read, in directories that it does not: searches of those leave them out. */
  readonly hidden: readonly string[];
}
