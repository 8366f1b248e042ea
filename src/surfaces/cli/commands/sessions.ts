/** `haft sessions`: conversations that are kept in the state folder. */
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import { sessionAdmin } from "../../../toolkit/index.js";
import { printJson } from "../json-output.js";
import { printNotice } from "../print-notice.js";
import { type StateOptions, stateAdminOptions } from "../state-options.js";
import { EXIT, UsageError } from "../usage.js";
import { utcTime } from "../utc-time.js";

export interface SessionsOptions extends StateOptions {
  readonly json?: boolean;
}

export interface CleanOptions extends SessionsOptions {
  readonly idle: string;
}

const HOUR_MS = 60 * 60 * 1000;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;
const MAX_IDLE_HOURS = 24 * 365 * 100;

/** What is kept, the last used first. */
export async function listSessions(options: SessionsOptions): Promise<number> {
  const sessions = (await sessionAdmin(await stateAdminOptions(options))).list();
  if (options.json) {
    printJson(sessions);
    return EXIT.ok;
  }
  if (sessions.length === 0) process.stdout.write("No session has kept anything.\n");
  for (const { id, usedMs, bytes, artifacts, todoItems, openIn } of sessions) {
    const holds = [
      counted(todoItems, "todo item"),
      counted(artifacts, "artifact"),
      sizeOf(bytes),
      openIn.length === 0 ? "" : `open in process ${openIn.join(", ")}`,
    ];
    const used = utcTime(usedMs, "minute");
    process.stdout.write(
      `${pc.bold(showControls(id))}\n  last used ${used}; ${holds.filter((one) => one !== "").join(", ")}\n`,
    );
  }
  return EXIT.ok;
}

/** Removes all that the session has kept; a server that has it open ends what it left running, within seconds. */
export async function endSession(id: string, options: SessionsOptions): Promise<number> {
  const sessions = await sessionAdmin(await stateAdminOptions(options));
  const openIn = sessions.list().find((one) => one.id === id)?.openIn ?? [];
  const isEnded = sessions.end(id);
  if (options.json) printJson({ ended: isEnded ? [id] : [] });
  if (isEnded) {
    const where = openIn.length === 0 ? "" : ` Process ${openIn.join(", ")} has it open and ends what it left running.`;
    printNotice(`ended the session "${id}" and removed what it had kept.${where}`);
    return EXIT.ok;
  }
  printNotice(
    `did not end "${id}": no session of this name has kept anything. \`haft sessions list\` names those that have.`,
  );
  return EXIT.errorResult;
}

/** Ends those that were idle for so long, but none that a process has open. */
export async function cleanSessions(options: CleanOptions): Promise<number> {
  const hours = Number(options.idle);
  if (options.idle.trim() === "" || !(hours >= 0 && hours <= MAX_IDLE_HOURS))
    throw new UsageError(`--idle takes a number of hours, 0 or more, not "${options.idle}".`);
  const ended = (await sessionAdmin(await stateAdminOptions(options))).clean(hours * HOUR_MS);
  if (options.json) printJson({ ended });
  else for (const id of ended) process.stdout.write(`${showControls(id)}\n`);
  const which = ended.length === 1 ? "session" : "sessions";
  printNotice(`ended ${ended.length} ${which} that nothing used for ${options.idle} hours.`);
  return EXIT.ok;
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}

function sizeOf(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`;
}
