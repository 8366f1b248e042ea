/** The rule that is suggested for test runners, linters and builds. */
import { type CommandWord, runnerLength } from "../commands/index.js";
import { commandText } from "./command-pattern.js";

/** The words of a runner, such as `npm test`; undefined for other programs. */
export function runnerWords(argv: readonly CommandWord[]): readonly CommandWord[] | undefined {
  const length = runnerLength(argv.map(({ value }) => value));
  const words = length === undefined ? undefined : argv.slice(0, length);
  return words?.some(({ glob }) => glob === true) === true ? undefined : words;
}

/** The pattern of a runner with any further words, such as "npm test *"; undefined for other programs. */
export function runnerText(argv: readonly CommandWord[]): string | undefined {
  const words = runnerWords(argv);
  const text = words === undefined ? undefined : commandText(words);
  return text === undefined ? undefined : `${text} *`;
}
