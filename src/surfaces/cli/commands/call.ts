/** `haft call`: runs one tool. */
import type { Command } from "commander";
import { examples, withToolkitOptions } from "../command-parts.js";
import type { CallOptions } from "./call/run-call.js";

export function addCallCommand(program: Command): void {
  withToolkitOptions(
    program
      .command("call <tool> [parameters...]")
      .description("run one tool and print its result")
      // An unknown option may be a parameter written with dashes, which only the tool's schema shows.
      .allowUnknownOption()
      .showHelpAfterError("`haft tools` lists the tools. Add --help for usage.")
      .option("--session <name>", 'the session to continue; "new" starts one (default: one for each workspace)')
      .option("--json", "print the whole outcome as JSON")
      .option("--explain", "print what the call would access and the policy decision, without running it")
      .addHelpText(
        "after",
        `
PARAMETERS are name=value words, as \`haft tools TOOL\` lists them: strings without quotes, numbers, true or false, lists as JSON.
Or one JSON object with all of them, or "-" to read that object from stdin.
Exit status: 0 success, 1 the result is an error, 2 wrong usage or the call could not start, 130 interrupted.
${examples(
  "haft call read path=README.md limit=5",
  "haft call grep pattern=TODO ignoreCase=true",
  "haft call bash command='git status' --json",
  'haft call find \'{"query":"*.md"}\'',
  "haft call write - < call.json",
  "haft call bash command=ls --on posix:dash",
  "haft call bash command=ls on=posix:dash --on local --on posix:dash=$HOME/project",
  "haft call bash command='npm test' --on ssh:build@host=/srv/app",
)}`,
      ),
  ).action(async (tool: string, words: readonly string[], options: CallOptions, command: Command) => {
    const { callCommand } = await import("./call/run-call.js");
    const known = command.options.flatMap(({ long }) => long ?? []);
    process.exitCode = await callCommand(tool, words, options, known);
  });
}
