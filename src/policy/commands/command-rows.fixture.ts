/** The rows of `command-table.txt`, which explains their form. */
import { readFileSync } from "node:fs";

export interface CommandRow {
  readonly expected: "quiet" | "low" | "medium" | "high";
  readonly command: string;
  readonly facts: readonly string[];
}

const TABLE = readFileSync(new URL("command-table.txt", import.meta.url), "utf8");

export const COMMAND_ROWS: readonly CommandRow[] = TABLE.split("\n").flatMap((line) => {
  const match = /^(quiet|low|medium|high) +(.*?)(?: +=> +(.*))?$/.exec(line);
  if (match === null) return [];
  const [, expected, command = "", facts = ""] = match;
  return [
    {
      expected: expected as CommandRow["expected"],
      command: command.trim().replaceAll("⏎", "\n"),
      facts: facts.split(/, (?=[a-z])/).filter((fact) => fact !== ""),
    },
  ];
});
