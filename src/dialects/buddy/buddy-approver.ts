/** The question of buddy's one-shot mode at a terminal. */
import type { Approver, Io } from "../../kernel/index.js";
import { showDeceptive } from "../../text/index.js";

/**
 * Asks `Run: <cmd> [y/N] ` before a call that the policy asks about. Only `y` or `Y` allows it, this once. Nothing of the call has
 * run or been reported before. What is too long to be shown whole is denied.
 *
 *     createToolkit({ dialect: "buddy", approver: buddyApprover((question, { signal }) => readline.question(question, { signal })) });
 *
 * @param ask - Shows the question as it is and returns the line that the user types. What it rejects with denies the call.
 */
export function buddyApprover(ask: (question: string, io: Io) => Promise<string>): Approver {
  return {
    async ask({ call, preview, arguments: sent, hasShortenedArguments }, io) {
      const isCommand = preview?.kind === "command";
      const isWhole = isCommand ? !preview.isTruncated : hasShortenedArguments !== true;
      if (!isWhole) return { denied: "It is too long to be shown to the user whole. Send it in shorter parts." };
      const what = isCommand ? preview.command : `${call.tool} ${JSON.stringify(sent)}`;
      const answer = await ask(`Run: ${showDeceptive(what).replaceAll("\n", "\\n")} [y/N] `, io);
      return /^\s*[yY]\s*$/.test(answer) ? { by: "user", scope: "once" } : { denied: "The user did not answer y." };
    },
  };
}
