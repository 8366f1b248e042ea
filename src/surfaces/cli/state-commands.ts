/** The commands that look after what is kept: the record of calls, the tokens of clients, sessions, artifacts and jobs. */
import type { Command } from "commander";
import { addArtifactsCommands } from "./artifacts-commands.js";
import { withExamples, withStateOption } from "./command-parts.js";
import type { AuditOptions } from "./commands/audit.js";
import type { CleanOptions, SessionsOptions } from "./commands/sessions.js";
import type { TokenOptions } from "./commands/token.js";
import { addJobsCommands } from "./jobs-commands.js";

export function addStateCommands(program: Command): void {
  addAuditCommand(program);
  addTokenCommands(program);
  addSessionCommands(program);
  addArtifactsCommands(program);
  addJobsCommands(program);
}

function addAuditCommand(program: Command): void {
  withExamples(
    withStateOptions(
      program
        .command("audit [session]")
        .description("the calls on record, of one session or all; says where the record was changed")
        .option("--in <folder>", "only calls that worked in this folder"),
    ),
    "haft audit --in .",
    "haft audit trial --json",
  )
    .addHelpText("after", "\nExit status: 0 the record is sound, 1 a part of it was changed or is missing.")
    .action(async (session: string | undefined, options: AuditOptions) => {
      const { auditCommand } = await import("./commands/audit.js");
      process.exitCode = await auditCommand(session, options);
    });
}

function addTokenCommands(program: Command): void {
  const token = withExamples(
    program.command("token").description("the tokens of clients that `haft serve` lets in, each client its own"),
    "haft token list",
  );
  withExamples(
    withStateOptions(token.command("add <name>").description("make a token for a client; it is shown once")),
    "haft token add laptop",
  ).action(async (name: string, options: TokenOptions) => {
    const { addToken } = await import("./commands/token.js");
    process.exitCode = await addToken(name, options);
  });
  withExamples(
    withStateOptions(token.command("list").description("the names of clients that have a token")),
    "haft token list",
    "haft token list --json",
  ).action(async (options: TokenOptions) => {
    const { listTokens } = await import("./commands/token.js");
    process.exitCode = await listTokens(options);
  });
  withExamples(
    withStateOptions(
      token.command("remove <name>").description("take a token back, also where a server runs that knows it"),
    ),
    "haft token remove laptop",
  ).action(async (name: string, options: TokenOptions) => {
    const { removeToken } = await import("./commands/token.js");
    process.exitCode = await removeToken(name, options);
  });
}

function addSessionCommands(program: Command): void {
  const sessions = withExamples(
    program
      .command("sessions")
      .description(
        "conversations that are kept: todo list, artifacts, files read; each ends a day after its last call",
      ),
    "haft sessions list",
  );
  withExamples(
    withStateOptions(sessions.command("list").description("what is kept, the last used first")),
    "haft sessions list",
    "haft sessions list --json",
  ).action(async (options: SessionsOptions) => {
    const { listSessions } = await import("./commands/sessions.js");
    process.exitCode = await listSessions(options);
  });
  withExamples(
    withStateOptions(
      sessions
        .command("end <name>")
        .description("end a session now and remove all that it has kept, wherever it is open"),
    ),
    `haft call todo_set '{"items":[{"id":"1","text":"Try it","status":"pending"}]}' --session trial`,
    "haft sessions end trial",
  ).action(async (name: string, options: SessionsOptions) => {
    const { endSession } = await import("./commands/sessions.js");
    process.exitCode = await endSession(name, options);
  });
  withExamples(
    withStateOptions(
      sessions
        .command("clean")
        .description("end the sessions that are idle and that no process has open")
        .option("--idle <hours>", "idle for more than so many hours", "24"),
    ),
    "haft sessions clean",
    "haft sessions clean --idle 1 --json",
  ).action(async (options: CleanOptions) => {
    const { cleanSessions } = await import("./commands/sessions.js");
    process.exitCode = await cleanSessions(options);
  });
}

function withStateOptions(command: Command): Command {
  return withStateOption(command).option("--json", "print it as JSON");
}
