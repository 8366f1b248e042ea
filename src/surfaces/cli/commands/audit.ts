/** `haft audit`: the calls of all processes in the audit log, and whether the log is intact. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { shellWord, showControls } from "../../../text/index.js";
import type { auditAdmin } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withStateOption } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice } from "../output.js";
import { EXIT } from "../usage.js";
import { auditedCallText, auditedRow } from "./audit/audited-call-text.js";

interface AuditOptions extends StateOptions {
  readonly json?: boolean;
}

interface ShowOptions extends AuditOptions {
  /** Only calls whose workspace was this directory. */
  readonly in?: string;
  /** All that is logged of this call. */
  readonly call?: string;
}

type Report = Awaited<ReturnType<typeof auditAdmin>>;

const EXIT_STATUS =
  "\nExit status: 0 the audit log is intact, 1 a part of it was changed or is missing, or the call is not in it.";

/** `haft audit` alone is `haft audit show`. */
export function addAuditCommand(program: Command): void {
  const audit = withExamples(
    withShowOptions(
      program
        .command("audit [session]")
        .description("list the audited calls of one session or all, and check that the audit log is intact"),
    ),
    "haft audit --in .",
    "haft audit trial --json",
    "haft audit show --call call-1",
    "haft audit verify",
  )
    .addHelpText("after", EXIT_STATUS)
    .action(async (session: string | undefined, options: ShowOptions) => {
      process.exitCode = await show(session, options);
    });
  withExamples(
    withShowOptions(
      audit
        .command("show [session]")
        .description("list the audited calls, or show all that is logged of one: its decision, approval and claims"),
    ),
    "haft audit show --in .",
    "haft audit show --call call-1",
  )
    .addHelpText("after", EXIT_STATUS)
    .action(async (session: string | undefined, _options: ShowOptions, command: Command) => {
      // Options of the same name belong to the command above.
      process.exitCode = await show(session, command.optsWithGlobals());
    });
  withExamples(
    withJsonOption(
      withStateOption(
        audit
          .command("verify")
          .description("check that no line of the audit log was changed, moved or deleted; prints each place that was"),
      ),
    ),
    "haft audit verify",
    "haft audit verify --json",
  )
    .addHelpText("after", "\nExit status: 0 the audit log is intact, 1 a part of it was changed or is missing.")
    .action(async (_options: AuditOptions, command: Command) => {
      process.exitCode = await verify(command.optsWithGlobals());
    });
}

function withShowOptions(command: Command): Command {
  return withJsonOption(
    withStateOption(
      command
        .option("--in <dir>", "only calls whose workspace was this directory of this machine")
        .option("--call <id>", "all that is logged of one call; its id is at the end of its line"),
    ),
  );
}

async function show(session: string | undefined, options: ShowOptions): Promise<number> {
  const report = await reportOf(options);
  return options.call === undefined ? listCalls(session, options, report) : showCall(options.call, options, report);
}

async function reportOf(options: AuditOptions): Promise<Report> {
  const { stateAdminOptions } = await import("../configuration.js");
  const { auditAdmin } = await import("../../../toolkit/index.js");
  return auditAdmin(await stateAdminOptions(options));
}

async function verify(options: AuditOptions): Promise<number> {
  const { calls, problems } = await reportOf(options);
  if (options.json) printJson({ isIntact: problems.length === 0, calls: calls.length, problems });
  else if (problems.length > 0) printProblems(problems);
  else if (calls.length === 0) printNotice(`the audit log is empty. ${HOW_IT_FILLS}`);
  else process.stdout.write(`The audit log is intact: ${counted(calls.length)}.\n`);
  return statusOf(problems);
}

const HOW_IT_FILLS = "Each `haft call` and each call of a client adds one.";

/** By its id in the log, or the id that its program gave it: that may be of several calls. */
async function showCall(id: string, { json }: AuditOptions, { calls, problems }: Report): Promise<number> {
  const chosen = calls.filter((call) => call.id === id || call.callId === id);
  if (json) printJson({ calls: chosen, problems });
  else process.stdout.write(chosen.map(auditedCallText).join("\n"));
  printProblems(problems);
  if (chosen.length > 0) return statusOf(problems);
  printNotice(`no call "${id}" in the audit log. \`haft audit\` lists the calls with their ids.`);
  return EXIT.errorResult;
}

/** Oldest first. */
async function listCalls(
  session: string | undefined,
  options: ShowOptions,
  { calls, problems }: Report,
): Promise<number> {
  const { hasSharedWorkspace } = await import("../../../toolkit/index.js");
  const directory = options.in === undefined ? undefined : resolve(options.in);
  const names = directory === undefined ? [] : [directory, realDirectory(directory)];
  const isThere = ({ workspace, spec }: Report["calls"][number]) =>
    directory === undefined || (names.includes(workspace) && hasSharedWorkspace(spec));
  const ofSession = calls.filter(({ sessionId }) => session === undefined || sessionId === session);
  const chosen = ofSession.filter(isThere);
  const sessions = new Set(chosen.map(({ sessionId }) => sessionId));
  const elsewhere = ofSession.filter((call) => !isThere(call) && sessions.has(call.sessionId));
  if (options.json) printJson({ calls: chosen, problems });
  else process.stdout.write(chosen.map((call) => `${auditedRow(call)}\n`).join(""));
  const scope =
    (session === undefined ? "" : ` of the session "${showControls(session)}"`) +
    (directory === undefined ? "" : ` in "${showControls(directory)}"`);
  if (chosen.length + problems.length === 0) {
    const everything = session === undefined && directory === undefined;
    const remote = ofSession.filter(({ workspace }) => names.includes(workspace));
    const hint = session?.includes("/")
      ? ` For a directory: haft audit --in ${showControls(session)}`
      : remote.length > 0
        ? ` --in is for directories of this machine. In that of "${showControls(remote.at(-1)!.target)}": ${commandsFor(remote)}.`
        : everything
          ? ` ${HOW_IT_FILLS}`
          : " `haft audit` lists those of all sessions.";
    printNotice(`no audited calls${scope}.${hint}`);
  } else if (problems.length === 0 && !options.json) {
    const more = ` ${elsewhere.length} more of the same sessions ran elsewhere: ${commandsFor(elsewhere)}.`;
    printNotice(`${counted(chosen.length)}${scope}; the audit log is intact.${elsewhere.length === 0 ? "" : more}`);
  }
  printProblems(problems);
  return statusOf(problems);
}

const MAX_COMMANDS = 3;

/** The commands that list the sessions of these calls, the latest first. */
function commandsFor(calls: Report["calls"]): string {
  const ids = [...new Set(calls.map(({ sessionId }) => sessionId).reverse())];
  const shown = ids.slice(0, MAX_COMMANDS).map((id) => `\`haft audit ${showControls(shellWord(id))}\``);
  const more = ids.length - shown.length;
  return `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more sessions`}`;
}

function counted(calls: number): string {
  return calls === 1 ? "1 call" : `${calls} calls`;
}

function printProblems(problems: Report["problems"]): void {
  for (const { file, line, why } of problems)
    printNotice(`${line === undefined ? "" : `line ${line} of `}${file}: ${why}`);
}

function statusOf(problems: Report["problems"]): number {
  return problems.length === 0 ? EXIT.ok : EXIT.errorResult;
}

/** The path without symlinks, or as it is if the directory is gone. */
function realDirectory(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    return directory;
  }
}
