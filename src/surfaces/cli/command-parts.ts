/** Options and help texts that several commands share. */
import { type Command, Option } from "commander";

/** Lines of the help that can be typed as they stand. */
export function withExamples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText("after", examples(...lines));
}

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}

export function withConfigOptions(command: Command): Command {
  return command
    .option("--workspace <dir>", "the folder to work in (default: the configuration's, else the current one)")
    .option("--config <file>", "this configuration in the place of the workspace's haft.jsonc; it counts as yours")
    .option("--no-config", "no configuration file at all");
}

/** Of the commands that look after what is kept. */
export function withStateOption(command: Command): Command {
  return withConfigOptions(command).option(
    "--state <dir>",
    "the state folder (default: the configuration's, else the environment's)",
  );
}

export function withDialectOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--dialect <name>",
      "names, limits and texts: haft, indusagi, indusagi-python, zeroclaw, buddy (default: the configuration's, else haft)",
    ),
  );
}
