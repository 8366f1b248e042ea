// An approver that asks at the terminal, for the other examples. `haft call` has one that shows more.
import { createInterface } from "node:readline/promises";
import { oneAtATime } from "haft";

/** One question at a time: calls of one turn ask at the same time, and a line must not answer two questions. */
export const terminalApprover = oneAtATime({ ask: (request, { signal }) => askAtTerminal(request, signal) });

/** The answer of the user to a request for approval, which `box.explain` returns too. */
export async function askAtTerminal(request, signal) {
  if (!process.stdin.isTTY) return { denied: "There is no terminal to ask at." };
  const { call, reason, preview, hidden } = request;
  const isTruncated = preview?.isTruncated ?? request.hasShortenedArguments;
  const gaps = `${isTruncated ? "\n(truncated)" : ""}${hidden ? `\n(${hidden.characters} characters are hidden)` : ""}`;
  const terminal = createInterface(process.stdin, process.stderr);
  const question = visible(`\n${reason}\n${call.tool}:\n${shown(request)}${gaps}\nAllow it? [y/N] `);
  const answer = await terminal.question(question, { signal }).finally(() => terminal.close());
  return answer === "y" ? { by: "user", scope: "once" } : { denied: "The user said no." };
}

/** What the call would do. */
function shown({ preview, claims, arguments: input }) {
  switch (preview?.kind) {
    case "diff":
      return `${preview.path}\n${preview.diff}`;
    case "command": {
      const { kind: _, command, directory, isTruncated: __, ...more } = preview; // more: variables, stdin, background
      const rest = Object.keys(more).length === 0 ? "" : `\nwith ${JSON.stringify(more)}`;
      return `${command}\nin ${directory}${rest}`;
    }
    case "delete":
      return `delete the ${preview.entry} ${preview.path}`;
    case "move":
      return `move ${preview.path} to ${preview.to}${preview.replaces === undefined ? "" : ", which it replaces"}`;
    default: {
      // What is typed or written stands in the claims as a whole; long arguments are shortened.
      const texts = claims.flatMap((claim) => (claim.kind === "input" ? [claim.text] : []));
      return [JSON.stringify(input), ...texts].join("\n");
    }
  }
}

/** Control and invisible characters as escapes: a terminal would obey them. */
function visible(text) {
  return text.replace(/(?![\n\t])[\p{C}\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);
}
