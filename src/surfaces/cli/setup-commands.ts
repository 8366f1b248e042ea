/** The commands that set Haft up, find what is missing and count what it costs. */
import type { Command } from "commander";
import { withExamples } from "./command-parts.js";
import type { InitOptions } from "./init-command.js";

export function addSetupCommands(program: Command): void {
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
    const { initCommand } = await import("./init-command.js");
    process.exitCode = initCommand(options);
  });
}
