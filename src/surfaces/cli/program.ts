/** The commands and options of `haft`. */
import { Command } from "commander";
import { haftVersion } from "../installed-package.js";
import { examples } from "./command-parts.js";
import { addApprovalsCommand } from "./commands/approvals.js";
import { addArtifactsCommand } from "./commands/artifacts.js";
import { addAuditCommand } from "./commands/audit.js";
import { addCallCommand } from "./commands/call.js";
import { addConnectCommand } from "./commands/connect.js";
import { addCostCommand } from "./commands/cost.js";
import { addDoctorCommand } from "./commands/doctor.js";
import { addInitCommand } from "./commands/init.js";
import { addJobsCommand } from "./commands/jobs.js";
import { addMemoryCommand } from "./commands/memory.js";
import { addPolicyCommand } from "./commands/policy.js";
import { addScheduleCommand } from "./commands/schedule.js";
import { addServeCommand } from "./commands/serve.js";
import { addSessionsCommand } from "./commands/sessions.js";
import { addTokenCommand } from "./commands/token.js";
import { addToolsCommand } from "./commands/tools.js";
import { addUndoCommand } from "./commands/undo.js";
import { shownLines } from "./output.js";
import { DIRECTORY_OPTIONS, UsageError } from "./usage.js";

/** In the order of the help. */
const COMMANDS: readonly ((program: Command) => void)[] = [
  addCallCommand,
  addToolsCommand,
  addServeCommand,
  addInitCommand,
  addConnectCommand,
  addDoctorCommand,
  addCostCommand,
  addPolicyCommand,
  addApprovalsCommand,
  addUndoCommand,
  addAuditCommand,
  addTokenCommand,
  addSessionsCommand,
  addMemoryCommand,
  addArtifactsCommand,
  addJobsCommand,
  addScheduleCommand,
];

export function buildProgram(): Command {
  const program = new Command("haft")
    .description(
      "Tools for a model: files, search, shell, background jobs and a todo list, in a directory that you choose.",
    )
    .version(haftVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .showHelpAfterError("Add --help for usage.")
    .configureOutput({ outputError: (text, write) => write(shownLines(text.replace(/^error: /, "haft: "))) })
    .exitOverride()
    .addHelpText("after", examples("haft call read path=README.md", "haft tools", "haft serve --stdio"));

  for (const addCommand of COMMANDS) addCommand(program);

  program.action(() => program.outputHelp()).hook("preAction", (_program, command) => refuseEmpty(command));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().allowExcessArguments(command === program);
  }
  return program;
}

/** An empty one is an unset shell variable, and would be the current directory. @throws UsageError */
function refuseEmpty(command: Command): void {
  // With those that the command above has taken.
  const options = command.optsWithGlobals();
  for (const name of DIRECTORY_OPTIONS)
    if (options[name] === "")
      throw new UsageError(`Did not start: --${name} is empty. Give a directory, or remove the option.`);
}

/** Checked before parsing: otherwise `--help` would hide a misspelled command. @throws UsageError */
export async function requireSubcommand(program: Command, args: readonly string[]): Promise<void> {
  let command = program;
  for (const name of args) {
    // The value of an option of a nested command is no name; a command that lists by default takes options at once.
    if (name.startsWith("-") && command !== program) return;
    if (name.startsWith("-")) continue;
    if (command.commands.length === 0 || name === "help") return;
    const next = command.commands.find((one) => one.name() === name);
    // It may be an argument: `haft audit SESSION`.
    if (next === undefined && command.registeredArguments.length > 0) return;
    if (next === undefined) throw await unknownCommand(name, command);
    command = next;
  }
}

async function unknownCommand(name: string, parent: Command): Promise<UsageError> {
  const { nearestNames } = await import("../../text/index.js");
  const names = parent.commands.map((command) => command.name());
  const [nearest] = nearestNames(name, names, 1);
  const hint = nearest === undefined ? `The commands are ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
  const prefix = parent.parent === null ? "" : `${parent.name()} `;
  return new UsageError(`There is no command "${prefix}${name}". ${hint}`);
}
