/** The commands and options of `haft`. */
import { Command, Option } from "commander";
import type { CallOptions } from "./call-command.js";
import { examples, withConfigOptions, withDialectOption } from "./command-parts.js";
import { haftVersion } from "./installed-package.js";
import type { ServeOptions } from "./serve-command.js";
import { addSetupCommands } from "./setup-commands.js";
import { addStateCommands } from "./state-commands.js";
import type { ToolsOptions } from "./tools-command.js";
import { UsageError } from "./usage.js";

export function buildProgram(): Command {
  const program = new Command("haft")
    .description("Tools for a model: files, search, shell and plans, in a folder that you choose.")
    .version(haftVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .showHelpAfterError("Add --help for what is possible.")
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "haft: ")) })
    .exitOverride()
    .addHelpText("after", examples('haft call read \'{"path":"README.md"}\'', "haft tools", "haft serve --stdio"));

  withCommonOptions(
    program
      .command("call <tool> [input]")
      .description("run one tool and print its answer")
      .showHelpAfterError("`haft tools` lists the tools. Add --help for what is possible.")
      .option("--session <name>", 'the conversation to go on with; "new" starts one (default: one for each workspace)')
      .option("--json", "print the whole outcome as JSON")
      .option("--explain", "print what the call would touch and how policy decides, and do not run it")
      .addHelpText(
        "after",
        `
INPUT is a JSON object of the tool's parameters, or "-" to read it from standard input.
Exit status: 0 done, 1 the answer is an error, 2 the command was not understood or could not begin, 130 it was interrupted.
${examples(
  'haft call grep \'{"pattern":"TODO"}\'',
  'haft call bash \'{"command":"git status"}\' --json',
  "haft call write - < call.json",
  'haft call bash \'{"command":"ls"}\' --on posix:dash',
)}`,
      ),
  ).action(async (tool: string, input: string | undefined, options: CallOptions) => {
    const { callCommand } = await import("./call-command.js");
    process.exitCode = await callCommand(tool, input, options);
  });

  withDialectOption(withConfigOptions(program.command("tools").description("list the tools")))
    .option("--collection <name>", "only the tools of this collection: read-only, coding, all", "all")
    .option("--json", "print the descriptors that a model is shown, as one JSON array")
    .addHelpText("after", examples("haft tools", "haft tools --json", "haft tools --collection read-only"))
    .action(async (options: ToolsOptions) => {
      const { toolsCommand } = await import("./tools-command.js");
      await toolsCommand(options);
    });

  withCommonOptions(
    program
      .command("serve")
      .description("serve the tools to an MCP client: over HTTP on this machine, or over standard input and output")
      .option("--stdio", "one client, over standard input and output")
      .option(
        "--port <number>",
        "the port for HTTP, or the next free one (default: the configuration's, else any that is free)",
      )
      .option("--once", "exit after printing how to connect")
      .option("--collection <name>", "only the tools of this collection: read-only, coding, all", "all")
      .addHelpText(
        "after",
        examples("haft serve", "haft serve --port 7070", "haft serve --stdio --workspace ~/project"),
      ),
  ).action(async (options: ServeOptions) => {
    const { serveCommand } = await import("./serve-command.js");
    process.exitCode = await serveCommand(options);
  });

  addSetupCommands(program);
  addStateCommands(program);

  program.action(() => program.outputHelp());
  for (const command of [program, ...program.commands]) {
    command.exitOverride().allowExcessArguments(command === program);
  }
  return program;
}

/** Looks before anything is parsed, so that asking for help does not hide a misspelt command. @throws UsageError */
export async function requireCommand(program: Command, args: readonly string[]): Promise<void> {
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

function withCommonOptions(command: Command): Command {
  return withDialectOption(withConfigOptions(command))
    .option("--on <target>", "where to work: local, memory, posix:sh, posix:dash, posix:bash, posix:busybox", "local")
    .option(
      "--state <dir>",
      "where sessions, records and locks are kept (default: $XDG_STATE_HOME/haft, else ~/.local/state/haft)",
    )
    .addOption(
      new Option("--env <name>", "pass this environment variable on to commands; may be given again")
        .argParser(collect)
        .default([], "none"),
    )
    .option("--autonomy <level>", "how much happens without asking; only full for now")
    .addOption(
      new Option(
        "--gate <when>",
        "which changes need the file read before: write; on: also edit; off: none; handle: as the host keeps account (default: as the dialect says)",
      ).choices(["off", "handle", "write", "on"]),
    );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
