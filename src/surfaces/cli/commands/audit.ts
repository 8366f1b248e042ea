/** `haft audit`: what was called, by the record of all processes, and whether the record is as it was written. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { showControls } from "../../../text/index.js";
import { auditAdmin } from "../../../toolkit/index.js";
import { printJson } from "../json-output.js";
import { printNotice } from "../print-notice.js";
import { type StateOptions, stateAdminOptions } from "../state-options.js";
import { EXIT } from "../usage.js";
import { utcTime } from "../utc-time.js";

export interface AuditOptions extends StateOptions {
  readonly json?: boolean;
  /** A folder: only calls that worked in it. */
  readonly in?: string;
}

/** Characters of an input that a line shows. */
const MAX_INPUT = 120;
const STATUS_WIDTH = 14;
const TOOL_WIDTH = 10;

type Call = Awaited<ReturnType<typeof auditAdmin>>["calls"][number];

/** The oldest call first. */
export async function auditCommand(session: string | undefined, options: AuditOptions): Promise<number> {
  const { calls, problems } = await auditAdmin(await stateAdminOptions(options));
  const directory = options.in === undefined ? undefined : resolve(options.in);
  const names = directory === undefined ? [] : [directory, realDirectory(directory)];
  const chosen = calls.filter(
    ({ sessionId, workspace }) =>
      (session === undefined || sessionId === session) && (directory === undefined || names.includes(workspace)),
  );
  if (options.json) printJson({ calls: chosen, problems });
  else process.stdout.write(chosen.map((call) => `${rowOf(call)}\n`).join(""));
  const whose =
    (session === undefined ? "" : ` of the session "${showControls(session)}"`) +
    (directory === undefined ? "" : ` in "${showControls(directory)}"`);
  if (chosen.length + problems.length === 0) {
    const hint = session?.includes("/") ? ` For a directory: haft audit --in ${showControls(session)}` : "";
    printNotice(`no call${whose} is on record.${hint}`);
  } else if (problems.length === 0 && !options.json)
    printNotice(`${countText(chosen.length)}${whose}; the record is as it was written.`);
  for (const { file, line, why } of problems)
    printNotice(`${line === undefined ? "" : `line ${line} of `}${file}: ${why}`);
  return problems.length === 0 ? EXIT.ok : EXIT.errorResult;
}

function countText(calls: number): string {
  return calls === 1 ? "1 call" : `${calls} calls`;
}

/** Without links; as it is where it is not there any more. */
function realDirectory(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    return directory;
  }
}

function rowOf({ atMs, status = "no end", tool, tookMs, sessionId, workspace, input }: Call): string {
  const at = utcTime(atMs);
  const took = tookMs === undefined ? "" : `${tookMs} ms`;
  const shown = input.length > MAX_INPUT ? `${input.slice(0, MAX_INPUT)}…` : input;
  const columns = [at, status.padEnd(STATUS_WIDTH), tool.padEnd(TOOL_WIDTH), took.padStart(9)];
  // The name of a session on the command line has its folder in it.
  const where = workspace === "" || sessionId.includes(workspace) ? "" : ` in ${JSON.stringify(workspace)}`;
  return showControls([...columns, JSON.stringify(sessionId) + where, shown].join("  "));
}
