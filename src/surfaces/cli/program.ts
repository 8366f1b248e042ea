/** The commands and options of `haft`. */
import { Command } from "commander";
import { examples } from "./command-parts.js";
import { haftVersion } from "./installed-package.js";
import { shownLines } from "./print-notice.js";
import { addSetupCommands } from "./setup-commands.js";
import { addStateCommands } from "./state-commands.js";
import { addToolCommands } from "./tool-commands.js";
import { UsageError } from "./usage.js";

export function buildProgram(): Command {
  const program = new Command("haft")
    .description("Tools for a model: files, search, shell and plans, in a folder that you choose.")
    .version(haftVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .showHelpAfterError("Add --help for what is possible.")
    .configureOutput({ outputError: (text, write) => write(shownLines(text.replace(/^error: /, "haft: "))) })
    .exitOverride()
    .addHelpText("after", examples("haft call read path=README.md", "haft tools", "haft serve --stdio"));

  addToolCommands(program);
  addSetupCommands(program);
  addStateCommands(program);

  program.action(() => program.outputHelp());
  for (const command of [program, ...program.commands]) {
    command.exitOverride().allowExcessArguments(command === program);
  }
  return program;
}

/** Looks before anything is parsed, so that asking for help does not hide a misspelt command. @throws UsageError */
export async function requireSubcommand(program: Command, args: readonly string[]): Promise<void> {
  let command = program;
  for (const name of args.filter((arg) => !arg.startsWith("-"))) {
    if (command.commands.length === 0 || name === "help") return;
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined) throw await unknownCommand(name, command);
    command = next;
  }
}

async function unknownCommand(name: string, above: Command): Promise<UsageError> {
  const { nearestNames } = await import("../../text/index.js");
  const names = above.commands.map((command) => command.name());
  const [nearest] = nearestNames(name, names, 1);
  const hint = nearest === undefined ? `The commands are ${names.join(", ")}.` : `The nearest is "${nearest}".`;
  const where = above.parent === null ? "" : `${above.name()} `;
  return new UsageError(`There is no command "${where}${name}". ${hint}`);
}
