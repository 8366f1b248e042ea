/** The commands that set Haft up, find what is missing and count what it costs. */
import type { Command } from "commander";
import { CLIENT_NAMES } from "./clients/client-names.js";
import { withConfigOptions, withDialectOption, withExamples } from "./command-parts.js";
import type { ConnectOptions } from "./commands/connect.js";
import type { CostOptions } from "./commands/cost.js";
import type { DoctorOptions } from "./commands/doctor.js";
import type { InitOptions } from "./commands/init.js";

const CONNECTED_DIRECTORY =
  "the folder to work in (default: the current one; in a file for all projects none, where the client starts in the project)";

export function addSetupCommands(program: Command): void {
  addInitCommand(program);
  addConnectCommand(program);
  addDoctorCommand(program);
  addCostCommand(program);
}

function addInitCommand(program: Command): void {
  withExamples(
    program
      .command("init")
      .description("write a commented haft.jsonc to start from; never over one that is there")
      .option("--workspace <dir>", "where to write it (default: the current folder)")
      .option("--user", "write your own file instead, which holds for everything that you start")
      .option("--print", "print it and write nothing"),
    "haft init",
    "haft init --user --print",
  ).action(async (options: InitOptions) => {
    const { initCommand } = await import("./commands/init.js");
    process.exitCode = initCommand(options);
  });
}

function addConnectCommand(program: Command): void {
  withExamples(
    program
      .command("connect [client]")
      .description("print what an MCP client needs to start Haft, or write it into the client's configuration")
      .option("--write", "write it: other entries and comments stay, and the old file is kept beside the new one")
      .option("--user", "the client's file for all projects, where it has one for the workspace too")
      .option("--name <name>", "what the client calls the server", "haft")
      .option("--workspace <dir>", CONNECTED_DIRECTORY)
      .option("--file <path>", "this file in the place of the client's usual one")
      .option("--json", "print file, text and state as JSON"),
    "haft connect",
    "haft connect cursor",
    "haft connect claude-code --write",
  )
    .addHelpText("after", `\nClients: ${CLIENT_NAMES.join(", ")}.`)
    .action(async (client: string | undefined, options: ConnectOptions) => {
      const { connectCommand } = await import("./commands/connect.js");
      process.exitCode = await connectCommand(client, options);
    });
}

function addDoctorCommand(program: Command): void {
  withExamples(
    withConfigOptions(
      program
        .command("doctor")
        .description("look at what is here, what is missing and what that costs")
        .option("--state <dir>", "the state folder to look at")
        .option("--json", "print the findings as JSON"),
    ),
    "haft doctor",
    "haft doctor --json",
  )
    .addHelpText("after", "\nExit status: 0 all that is needed is here, 1 something stops Haft from working.")
    .action(async (options: DoctorOptions) => {
      const { doctorCommand } = await import("./commands/doctor.js");
      process.exitCode = await doctorCommand(options);
    });
}

function addCostCommand(program: Command): void {
  withExamples(
    withDialectOption(
      withConfigOptions(
        program
          .command("cost")
          .description("count the tokens that the tools take up in a model's context")
          .option("--all", "every dialect, one line each")
          .option("--json", "print the counts as JSON"),
      ),
    ),
    "haft cost",
    "haft cost --dialect zeroclaw",
    "haft cost --all --json",
  ).action(async (options: CostOptions) => {
    const { costCommand } = await import("./commands/cost.js");
    process.exitCode = await costCommand(options);
  });
}
