/** `haft sessions`: conversations in the state directory. */
import type { Command } from "commander";
import pc from "picocolors";
import { SESSION_IDLE_MS } from "../../../kernel/index.js";
import { shellWord, showControls } from "../../../text/index.js";
import type { SessionAdmin } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withSharedStateOptions } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice, utcTime } from "../output.js";
import { EXIT, UsageError } from "../usage.js";

interface SessionsOptions extends StateOptions {
  readonly json?: boolean;
}

interface EndOptions extends SessionsOptions {
  readonly forgetChanges?: boolean;
}

interface CleanOptions extends SessionsOptions {
  readonly idle: string;
}

const HOUR_MS = 60 * 60 * 1000;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;
const MAX_IDLE_HOURS = 24 * 365 * 100;

export function addSessionsCommand(program: Command): void {
  const sessions = withExamples(
    program
      .command("sessions")
      .description(
        `manage stored sessions: todo list, artifacts, files read; each ends ${SESSION_IDLE_MS / HOUR_MS} hours after its last call`,
      ),
    "haft sessions list",
  );
  withExamples(
    withJsonOption(withSharedStateOptions(sessions.command("list").description("list the sessions, last used first"))),
    "haft sessions list",
    "haft sessions list --json",
  ).action(async (options: SessionsOptions) => {
    process.exitCode = await listSessions(options);
  });
  withExamples(
    withJsonOption(
      withSharedStateOptions(
        sessions
          .command("end <name>")
          .description(
            "end a session and delete what it stored, even where a process has it open; its changes of files can still be undone",
          )
          .option("--forget-changes", "also delete the old contents of files that it changed, which ends undoing them"),
      ),
    ),
    `haft call todo_set '{"items":[{"id":"1","text":"Try it","status":"pending"}]}' --session trial`,
    "haft sessions end trial",
    "haft sessions end trial --forget-changes",
  ).action(async (name: string, options: EndOptions) => {
    process.exitCode = await endSession(name, options);
  });
  withExamples(
    withJsonOption(
      withSharedStateOptions(
        sessions
          .command("clean")
          .description("end the idle sessions that no process has open")
          .option("--idle <hours>", "idle for more than this many hours", `${SESSION_IDLE_MS / HOUR_MS}`),
      ),
    ),
    "haft sessions clean",
    "haft sessions clean --idle 1 --json",
  ).action(async (options: CleanOptions) => {
    process.exitCode = await cleanSessions(options);
  });
}

async function listSessions(options: SessionsOptions): Promise<number> {
  const sessions = await (await openSessions(options)).list();
  if (options.json) {
    printJson(sessions);
    return EXIT.ok;
  }
  if (sessions.length === 0)
    process.stdout.write(
      "No stored sessions. `haft call --session NAME` and each client of `haft serve` create one.\n",
    );
  for (const { id, usedMs, bytes, artifacts, todoItems, openIn } of sessions) {
    const facts = [
      countText(todoItems, "todo item"),
      countText(artifacts, "artifact"),
      sizeText(bytes),
      openIn.length === 0 ? "" : `open in process ${openIn.join(", ")}`,
    ].filter((one) => one !== "");
    process.stdout.write(
      `${pc.bold(showControls(id))}\n  last used ${utcTime(usedMs, "minute")}; ${facts.join(", ")}\n`,
    );
  }
  return EXIT.ok;
}

/** A server that has the session open kills its background processes within seconds. */
async function endSession(id: string, options: EndOptions): Promise<number> {
  const { stateAdminOptions } = await import("../configuration.js");
  const { forgetChanges, sessionAdmin, undoAdmin } = await import("../../../toolkit/index.js");
  const state = await stateAdminOptions(options);
  const sessions = await sessionAdmin(state);
  const openIn = (await sessions.list()).find((one) => one.id === id)?.openIn ?? [];
  const isEnded = await sessions.end(id);
  const forgotten = options.forgetChanges ? await forgetChanges(id, state) : 0;
  if (options.json) printJson({ ended: isEnded ? [id] : [], ...(options.forgetChanges ? { forgotten } : {}) });
  if (isEnded) {
    const where =
      openIn.length === 0 ? "" : ` Process ${openIn.join(", ")} has it open and stops its background processes.`;
    printNotice(`ended the session "${id}" and deleted what it stored.${where}`);
  } else if (forgotten === 0)
    printNotice(`did not end "${id}": no such session. \`haft sessions list\` lists the stored sessions.`);
  if (forgotten > 0)
    printNotice(
      `deleted the old contents of ${countText(forgotten, "call")} that changed files. They cannot be undone.`,
    );
  const undoable = (await undoAdmin(state)).calls.filter((one) => one.session === id && !one.isUndone && !one.undoes);
  if (isEnded && undoable.length > 0)
    printNotice(
      `${countText(undoable.length, "call")} of it that changed files can be undone with \`haft undo --session ${shellWord(id)}\`, for 7 days; --forget-changes deletes the old contents.`,
    );
  return isEnded || forgotten > 0 ? EXIT.ok : EXIT.errorResult;
}

async function cleanSessions(options: CleanOptions): Promise<number> {
  const hours = Number(options.idle);
  if (options.idle.trim() === "" || !(hours >= 0 && hours <= MAX_IDLE_HOURS))
    throw new UsageError(`--idle must be a number of hours, 0 or more, not "${options.idle}".`);
  const ended = await (await openSessions(options)).clean(hours * HOUR_MS);
  if (options.json) printJson({ ended });
  else for (const id of ended) process.stdout.write(`${showControls(id)}\n`);
  const which = ended.length === 1 ? "session" : "sessions";
  printNotice(`ended ${ended.length} ${which} idle for more than ${options.idle} hours.`);
  return EXIT.ok;
}

async function openSessions(options: SessionsOptions): Promise<SessionAdmin> {
  const { stateAdminOptions } = await import("../configuration.js");
  const { sessionAdmin } = await import("../../../toolkit/index.js");
  return sessionAdmin(await stateAdminOptions(options));
}

function countText(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function sizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`;
}
