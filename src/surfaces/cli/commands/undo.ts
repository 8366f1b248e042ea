/** `haft undo`: puts back what calls replaced, deleted or moved. */
import type { Command } from "commander";
import pc from "picocolors";
import { relativeInside, showControls } from "../../../text/index.js";
import type { ChangedCall, ChosenTarget, UndoReport } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withStateOption } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice, shownLines, utcTime } from "../output.js";
import { EXIT, UsageError } from "../usage.js";

interface UndoOptions extends StateOptions {
  readonly last?: boolean;
  readonly session?: string;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Calls that are listed, and files of each. */
const LISTED_CALLS = 20;
const LISTED_FILES = 3;

export function addUndoCommand(program: Command): void {
  withExamples(
    withJsonOption(
      withStateOption(
        program
          .command("undo [call]")
          .description(
            "put back what a call changed in files, if they have not changed since; without arguments, list the last changes in this workspace",
          )
          .option("--last", "the last call in this workspace that is not undone")
          .option("--session <name>", "all calls of this session that are not undone")
          .option("--all", "list the changes in other workspaces too")
          .option("--dry-run", "print what would change, without changing it"),
      ),
    ),
    "haft undo",
    "haft undo --all",
    "haft undo --last --dry-run",
    "haft undo --last",
    "haft call write path=note.txt content=hello --session trial",
    "haft undo --session trial",
  ).action(async (call: string | undefined, options: UndoOptions) => {
    process.exitCode = await undoCommand(call, options);
  });
}

async function undoCommand(asked: string | undefined, options: UndoOptions): Promise<number> {
  const { last, session, dryRun = false } = options;
  if ([asked, last, session].filter((one) => one !== undefined).length > 1)
    throw new UsageError("Did not undo: give one of CALL, --last and --session.");
  const isList = asked === undefined && last === undefined && session === undefined;
  if (options.all && !isList)
    throw new UsageError("Did not undo: --all is for the list, without CALL, --last and --session.");
  const { loadConfig, reportIgnored, stateDirOf } = await import("../configuration.js");
  const { settledWorkspace } = await import("../common-options.js");
  const { createToolkit, undoAdmin } = await import("../../../toolkit/index.js");
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { stateDir: configured } = loaded.settled;
  const stateDir = options.state === undefined ? configured : stateDirOf(options.state);
  const state = stateDir === undefined ? {} : { stateDir };
  const workspace = settledWorkspace(options.workspace, loaded.settled);
  const newest = [...(await undoAdmin(state))].reverse();
  if (isList) {
    if (dryRun) throw new UsageError("Did not undo: --dry-run needs CALL, --last or --session.");
    return listChanges(newest, workspace, options);
  }
  const chosen =
    session !== undefined
      ? newest.filter((one) => one.session === session)
      : newest.filter((one) =>
          last ? one.workspace === workspace && !one.isUndone && one.undoes === undefined : one.id === asked,
        );
  if (asked !== undefined && chosen.length === 0)
    chosen.push(...newest.filter((one) => one.workspace === workspace && one.callId === asked));
  if (asked !== undefined && chosen.length > 1) {
    printNotice(
      `did not undo "${asked}": ${chosen.length} calls in this workspace have this id. Give one of ${chosen.map(({ id }) => id).join(", ")}; \`haft undo\` lists what they changed.`,
    );
    return EXIT.errorResult;
  }
  const first = chosen[0];
  if (first === undefined) {
    const what = last ? "the last call" : session === undefined ? `"${asked}"` : `the session "${session}"`;
    printNotice(
      `did not undo ${what}: no change of a file is stored for it${session === undefined ? " in this workspace" : ""}${asked === undefined ? " that is not undone" : ""}. \`haft undo --all\` lists the changes in every workspace.`,
    );
    return EXIT.errorResult;
  }
  const toolkit = await createToolkit({ ...state, on: targetsOf(session === undefined ? [first] : chosen) });
  try {
    const report = await toolkit.undo({ ...(session === undefined ? { call: first.id } : { session }), dryRun });
    if (options.json) printJson(report, 2);
    else printReport(report, workspace);
    return report.status === "conflict" ? EXIT.errorResult : EXIT.ok;
  } catch (error) {
    const { HaftError } = await import("../../../kernel/index.js");
    if (!HaftError.is(error)) throw error;
    printNotice(error.message);
    return EXIT.errorResult;
  } finally {
    await toolkit.close();
  }
}

/** Each target once: recorded paths are absolute, so that its workspace does not matter. */
function targetsOf(calls: readonly ChangedCall[]): ChosenTarget[] {
  const targets = new Map<string, ChosenTarget>();
  for (const { target: name, spec = name, workspace } of calls)
    targets.set(name, { ...(spec === name ? {} : { name }), target: spec, workspace });
  return [...targets.values()];
}

/** @param newest - Of every workspace, the newest first. */
function listChanges(newest: readonly ChangedCall[], workspace: string, { all, json }: UndoOptions): number {
  const calls = all ? newest : newest.filter((call) => call.workspace === workspace);
  if (json) {
    printJson(calls);
    return EXIT.ok;
  }
  const others = newest.length - calls.length;
  const elsewhere = others === 0 ? "" : ` \`haft undo --all\` also lists ${others} in other workspaces.`;
  if (calls.length === 0) {
    process.stdout.write(
      `No changes are stored. Haft stores what its file tools change for 7 days; what commands change cannot be undone.${elsewhere}\n`,
    );
    return EXIT.ok;
  }
  const shown = calls.slice(0, LISTED_CALLS);
  process.stdout.write(shown.map((call) => rowOf(call, workspace)).join(""));
  const older =
    calls.length > LISTED_CALLS ? ` ${calls.length - LISTED_CALLS} older calls are not shown, --json prints them.` : "";
  printNotice(
    `\`haft undo CALL\` undoes one of them, \`haft undo --last\` the last one in this workspace; with --dry-run they print what would change.${older}${elsewhere}`,
  );
  return EXIT.ok;
}

function rowOf(
  { id, tool, target, files, atMs, session, isUndone, undoes, workspace }: ChangedCall,
  here: string,
): string {
  const shown = files.slice(0, LISTED_FILES).map((file) => {
    const { path, change, from, added, removed } = file;
    const lines = [added ? `+${added}` : "", removed ? `−${removed}` : ""].filter((one) => one !== "").join(" ");
    const was = from === undefined ? "" : `${shownPath(from, here)} → `;
    return `${was}${shownPath(path, here)} (${[change, lines].filter((one) => one !== "").join(", ")})`;
  });
  const more = files.length > LISTED_FILES ? [`and ${files.length - LISTED_FILES} more`] : [];
  const facts = [
    utcTime(atMs),
    ...(undoes === undefined ? [] : [`undid ${undoes.length === 1 ? undoes[0] : `${undoes.length} calls`}`]),
    ...(isUndone ? ["undone"] : []),
    ...(target === "local" ? [] : [`on ${showControls(target)}`]),
    ...(workspace === here ? [] : [`in ${showControls(workspace)}`]),
    `session ${JSON.stringify(showControls(session))}`,
  ];
  const text = [...shown, ...more].join(", ");
  return `${pc.bold(id)}  ${showControls(tool)} ${text === "" ? "directories" : text}\n  ${facts.join("; ")}\n`;
}

function printReport({ status, calls, ids, files, conflicts, lost }: UndoReport, workspace: string): void {
  for (const { path, did, from, diff = "" } of files) {
    const verb = status === "planned" ? WOULD[did] : did;
    const was = from === undefined ? "" : ` back from ${shownPath(from, workspace)}`;
    process.stdout.write(`${verb} ${shownPath(path, workspace)}${was}\n${shownLines(diff)}`);
  }
  for (const { why, diff = "" } of conflicts) process.stdout.write(`${showControls(why)}\n${shownLines(diff)}`);
  for (const { why } of lost) printNotice(why);
  const what = calls.length === 1 ? `${calls[0]!.tool} ${calls[0]!.id}` : `${calls.length} calls`;
  if (status === "done") printNotice(`undid ${what}. ${ids.map((id) => `\`haft undo ${id}\``).join(", ")} redoes it.`);
  else if (status === "planned")
    printNotice(`nothing was changed. Without --dry-run, ${what} ${calls.length === 1 ? "is" : "are"} undone.`);
  else if (status === "nothing") printNotice(`did not undo ${what}: there is nothing to change.`);
  else
    printNotice(
      `did not undo ${what}: what it changed has changed since, and nothing was done. The diff shows what undoing would change; make these changes by hand.`,
    );
}

const WOULD = { restored: "would restore", removed: "would remove", moved: "would move" } as const;

function shownPath(path: string, workspace: string): string {
  return showControls(relativeInside(workspace, path) ?? path);
}
