/** Options and help texts that several commands share. */
import { type Command, Option } from "commander";
import { AUTONOMY_TEXT } from "../../policy/index.js";
import { UsageError } from "./usage.js";

/** Adds lines to the help that can be typed as they are. */
export function withExamples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText("after", examples(...lines));
}

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}

export function withConfigOptions(command: Command): Command {
  return command
    .option("--workspace <dir>", "the working directory (default: from the configuration, else the current directory)")
    .option(
      "--config <file>",
      "use this configuration instead of the workspace's haft.jsonc; it is trusted like your own",
    )
    .option("--no-config", "read no configuration file");
}

/** For commands that manage what is stored on this machine. */
export function withStateOption(command: Command): Command {
  return withConfigOptions(command).option(
    "--state <dir>",
    "the state directory (default: from the configuration, else from the environment)",
  );
}

/** For commands that manage what several hosts may share. */
export function withSharedStateOptions(command: Command): Command {
  return withStoreOption(withStateOption(command));
}

function withStoreOption(command: Command): Command {
  return command.option(
    "--store <url>",
    "the PostgreSQL database that hosts share: postgres://USER@HOST/DATABASE (default: from the configuration, else HAFT_STORE, else none)",
  );
}

export function withDialectOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--dialect <name>",
      "tool names, limits and texts: haft, indusagi, indusagi-python, zeroclaw, buddy (default: from the configuration, else haft)",
    ),
  );
}

export function withTargetOption(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--on <target>",
        "where tools run: local, memory, sandbox, posix:SHELL, container:NAME, image:IMAGE, ssh:[USER@]HOST[:PORT]; with a workspace of its own as TARGET=/DIR, with a terminal as TARGET+tmux, with a name as NAME=TARGET=/DIR; or the name of a target of the configuration; repeatable, the first is the default and a call chooses by name with `on`",
      )
        .argParser(repeated)
        .default([], "from the configuration, else local"),
    )
    .addOption(
      new Option(
        "--sandbox",
        "confine commands and file tools to the workspace, without a network; short for --on sandbox",
      ),
    )
    .option("--container <name>", "short for --on container:NAME")
    .option("--ssh <[user@]host>", "short for --on ssh:USER@HOST")
    .option(
      "--tmux [session]",
      "add a terminal to the first target, of --on or else of the configuration: short for --on TARGET+tmux=SESSION",
    )
    .hook("preAction", (_, action) => {
      const options = action.opts<ShortTargetOptions>();
      // Without a word about it, the sandbox could be taken for that of the other targets.
      if (options.sandbox === true && options.on.length > 0) {
        const given = options.on.map((one) => `--on ${one}`).join(" ");
        throw new UsageError(
          `Did not start: --sandbox is short for one target. For several use \`--on sandbox ${given}\`, the default first.`,
        );
      }
      action.setOptionValue("on", withShortForms(options));
    });
}

interface ShortTargetOptions {
  readonly on: readonly string[];
  readonly sandbox?: boolean;
  readonly container?: string;
  readonly ssh?: string;
  readonly tmux?: string | true;
}

/** The targets of `--on` and of the options that are short for one. "+tmux" alone is for the first target of the configuration. */
export function withShortForms({ on, sandbox, container, ssh, tmux }: ShortTargetOptions): readonly string[] {
  const all = [
    ...on,
    ...(sandbox === true ? ["sandbox"] : []),
    ...(container === undefined ? [] : [`container:${container}`]),
    ...(ssh === undefined ? [] : [`ssh:${ssh}`]),
  ];
  if (tmux === undefined) return all;
  const [first = "", ...others] = all;
  const at = first.indexOf("=/");
  const [target, directory] = at === -1 ? [first, ""] : [first.slice(0, at), first.slice(at)];
  return [`${target}+tmux${tmux === true ? "" : `=${tmux}`}${directory}`, ...others];
}

/** For commands that run tools. */
export function withToolkitOptions(command: Command): Command {
  return withStoreOption(
    withTargetOption(withDialectOption(withConfigOptions(command))).option(
      "--state <dir>",
      "where sessions, the audit log and locks are stored (default: $XDG_STATE_HOME/haft, else ~/.local/state/haft)",
    ),
  )
    .addOption(
      new Option("--env <name>", "pass this environment variable to commands; repeatable")
        .argParser(repeated)
        .default([], "none"),
    )
    .option("--autonomy <level>", `what runs without a question to the user. ${AUTONOMY_TEXT}`)
    .addOption(
      new Option("--allow <rule>", "a rule that allows something in this session: 'npm test', path:~/notes; repeatable")
        .argParser(repeated)
        .default([], "none"),
    )
    .option(
      "--gate <when>",
      "when a file must have been read before it is changed. write: before write; on: before write and edit; off: never; handle: as the caller tracks it (default: from the dialect)",
    );
}

function repeated(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function withCollectionOption(command: Command): Command {
  return command.option(
    "--collection <name>",
    "only the tools of this collection: read-only, coding, memory, schedules, all",
    "all",
  );
}

export function withJsonOption(command: Command): Command {
  return command.option("--json", "print JSON");
}
