/** `haft audit`: the calls of all processes in the audit log, and whether the log is intact. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { showControls } from "../../../text/index.js";
import type { auditAdmin } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withStateOption } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice, utcTime } from "../output.js";
import { EXIT } from "../usage.js";

interface AuditOptions extends StateOptions {
  readonly json?: boolean;
  /** Only calls whose workspace was this directory. */
  readonly in?: string;
}

const MAX_INPUT_CHARACTERS = 120;
const STATUS_WIDTH = 14;
const TOOL_WIDTH = 10;

type Call = Awaited<ReturnType<typeof auditAdmin>>["calls"][number];

export function addAuditCommand(program: Command): void {
  withExamples(
    withJsonOption(
      withStateOption(
        program
          .command("audit [session]")
          .description("list the audited calls of one session or all, and check that the audit log is intact")
          .option("--in <dir>", "only calls whose workspace was this directory of this machine"),
      ),
    ),
    "haft audit --in .",
    "haft audit trial --json",
  )
    .addHelpText("after", "\nExit status: 0 the audit log is intact, 1 a part of it was changed or is missing.")
    .action(async (session: string | undefined, options: AuditOptions) => {
      process.exitCode = await listCalls(session, options);
    });
}

/** Oldest first. */
async function listCalls(session: string | undefined, options: AuditOptions): Promise<number> {
  const { stateAdminOptions } = await import("../configuration.js");
  const { auditAdmin, isOnThisMachine } = await import("../../../toolkit/index.js");
  const { calls, problems } = await auditAdmin(await stateAdminOptions(options));
  const directory = options.in === undefined ? undefined : resolve(options.in);
  const names = directory === undefined ? [] : [directory, realDirectory(directory)];
  const chosen = calls.filter(
    ({ sessionId, workspace, spec }) =>
      (session === undefined || sessionId === session) &&
      (directory === undefined || (names.includes(workspace) && isOnThisMachine(spec))),
  );
  if (options.json) printJson({ calls: chosen, problems });
  else process.stdout.write(chosen.map((call) => `${rowOf(call)}\n`).join(""));
  const scope =
    (session === undefined ? "" : ` of the session "${showControls(session)}"`) +
    (directory === undefined ? "" : ` in "${showControls(directory)}"`);
  if (chosen.length + problems.length === 0) {
    const everything = session === undefined && directory === undefined;
    const hint = session?.includes("/")
      ? ` For a directory: haft audit --in ${showControls(session)}`
      : everything
        ? " Each `haft call` and each call of a client adds one."
        : " `haft audit` lists those of all sessions.";
    printNotice(`no audited calls${scope}.${hint}`);
  } else if (problems.length === 0 && !options.json)
    printNotice(`${chosen.length === 1 ? "1 call" : `${chosen.length} calls`}${scope}; the audit log is intact.`);
  for (const { file, line, why } of problems)
    printNotice(`${line === undefined ? "" : `line ${line} of `}${file}: ${why}`);
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

function rowOf({ atMs, status = "no end", tool, tookMs, sessionId, target, workspace, input }: Call): string {
  const took = tookMs === undefined ? "" : `${tookMs} ms`;
  const shown = input.length > MAX_INPUT_CHARACTERS ? `${input.slice(0, MAX_INPUT_CHARACTERS)}…` : input;
  const columns = [utcTime(atMs), status.padEnd(STATUS_WIDTH), tool.padEnd(TOOL_WIDTH), took.padStart(9)];
  // The default session of the command line is named after its workspace.
  const where = workspace === "" || sessionId.includes(workspace) ? "" : ` in ${JSON.stringify(workspace)}`;
  const on = target === "local" || target === "" ? "" : ` on ${target}`;
  return showControls([...columns, JSON.stringify(sessionId) + on + where, shown].join("  "));
}
