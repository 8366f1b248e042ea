/** `haft audit`: what was called, by the record of all processes, and whether the record is as it was written. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { showControls } from "../../text/index.js";
import { keptAudit } from "../../toolkit/index.js";
import { printJson } from "./json-output.js";
import { type StateOptions, stateOf } from "./state-options.js";
import { tellPerson } from "./tell-operator.js";
import { EXIT } from "./usage.js";
import { utcTime } from "./utc-time.js";

export interface AuditOptions extends StateOptions {
  readonly json?: boolean;
  /** A folder: only calls that worked in it. */
  readonly in?: string;
}

/** Characters of an input that a line shows. */
const MAX_INPUT = 120;
const STATUS_WIDTH = 14;
const TOOL_WIDTH = 10;

type Call = Awaited<ReturnType<typeof keptAudit>>["calls"][number];

/** The oldest call first. */
export async function auditCommand(session: string | undefined, options: AuditOptions): Promise<number> {
  const { calls, problems } = await keptAudit(await stateOf(options));
  const folder = options.in === undefined ? undefined : resolve(options.in);
  const names = folder === undefined ? [] : [folder, realFolder(folder)];
  const chosen = calls.filter(
    ({ sessionId, workspace }) =>
      (session === undefined || sessionId === session) && (folder === undefined || names.includes(workspace)),
  );
  if (options.json) printJson({ calls: chosen, problems });
  else process.stdout.write(chosen.map((call) => `${rowOf(call)}\n`).join(""));
  const whose =
    (session === undefined ? "" : ` of the session "${showControls(session)}"`) +
    (folder === undefined ? "" : ` in "${showControls(folder)}"`);
  if (chosen.length + problems.length === 0) {
    const hint = session?.includes("/") ? ` For a directory: haft audit --in ${showControls(session)}` : "";
    tellPerson(`no call${whose} is on record.${hint}`);
  } else if (problems.length === 0 && !options.json)
    tellPerson(`${countText(chosen.length)}${whose}; the record is as it was written.`);
  for (const { file, line, why } of problems)
    tellPerson(`${line === undefined ? "" : `line ${line} of `}${file}: ${why}`);
  return problems.length === 0 ? EXIT.ok : EXIT.errorResult;
}

function countText(calls: number): string {
  return calls === 1 ? "1 call" : `${calls} calls`;
}

/** Without links; as it is where it is not there any more. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
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
