/** `haft undo`: puts back what calls replaced, deleted or moved. */
import type { Command } from "commander";
import pc from "picocolors";
import type { HaftError } from "../../../kernel/index.js";
import { relativeInside, showControls } from "../../../text/index.js";
import type { ChangedCall, ChangedCalls, UndoReport } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withStateOption, withTargetOption } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice, shownLines, utcTime } from "../output.js";
import { EXIT, UsageError } from "../usage.js";

interface UndoOptions extends StateOptions {
  readonly on: readonly string[];
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
      withTargetOption(
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
  const { settledWorkspace, targetsOf } = await import("../common-options.js");
  const { userName } = await import("../terminal-approver.js");
  const { openedFor, placeOfCalls } = await import("./undo/undo-targets.js");
  const { chooseCalls, createToolkit, hasSharedWorkspace, nameOf, undoAdmin } = await import(
    "../../../toolkit/index.js"
  );
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const { stateDir: configured } = loaded.settled;
  const stateDir = options.state === undefined ? configured : stateDirOf(options.state);
  const state = stateDir === undefined ? {} : { stateDir };
  const workspace = settledWorkspace(options.workspace, loaded.settled);
  const targets = targetsOf(options.on, loaded);
  const { isHere, isFromHere } = placeOfCalls(targets, workspace, options);
  const changed = await undoAdmin(state);
  if (isList) {
    if (dryRun) throw new UsageError("Did not undo: --dry-run needs CALL, --last or --session.");
    return listChanges(changed, { workspace, isListed: (one) => isHere(one) || isFromHere(one) }, options);
  }
  const choice = await orNotice(
    async () => chooseCalls(changed, { ...(session === undefined ? callOf(asked) : { session }), isHere, isFromHere }),
    () => "`haft undo` lists the changes here, `haft undo --all` everywhere.",
  );
  if (choice === undefined) return EXIT.errorResult;
  const { chosen, earlier } = choice;
  const on = openedFor(chosen, options.on.length > 0 ? targets : [], loaded.settled);
  const toolkit = await createToolkit({ ...state, on });
  try {
    const which = session === undefined ? { call: chosen[0]!.id } : { session };
    const report = await orNotice(
      () => toolkit.undo({ ...which, dryRun, by: userName() }),
      ({ code }) => (code === "BACKEND_UNAVAILABLE" ? settingsHint(chosen, targets.map(nameOf)) : undefined),
    );
    if (options.json && report !== undefined) printJson(report, 2);
    else if (report !== undefined) {
      const isElsewhere = ({ target, spec = target }: ChangedCall) => !hasSharedWorkspace(spec);
      printReport(report, workspace, [...new Set(report.calls.filter(isElsewhere).map(({ target }) => target))]);
    }
    // The same call would be the last one again.
    if (earlier !== undefined && report?.status !== "done" && report?.status !== "planned")
      printNotice(
        `the call before it can be undone with \`haft undo ${earlier.id}\`: ${changesOf(earlier, workspace)}.`,
      );
    return report === undefined || report.status === "conflict" ? EXIT.errorResult : EXIT.ok;
  } finally {
    await toolkit.close();
  }
}

const callOf = (call: string | undefined) => (call === undefined ? {} : { call });

/** Prints the message of an error for the user, with the next step; undefined then. */
async function orNotice<T>(
  work: () => Promise<T>,
  next: (error: HaftError) => string | undefined,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { HaftError } = await import("../../../kernel/index.js");
    if (!HaftError.is(error)) throw error;
    const step = next(error);
    printNotice(step === undefined ? error.message : `${error.message} ${step}`);
    return undefined;
  }
}

/** For a target with a name of its own: its settings are in a configuration. */
function settingsHint(calls: readonly ChangedCall[], known: readonly string[]): string | undefined {
  const named = calls.find(({ target, spec = target }) => spec !== target && !known.includes(target));
  return (
    named && `"${named.target}" is not a target of the configuration here: name the file that has it with \`--config\`.`
  );
}

function listChanges(
  { calls: all, damaged }: ChangedCalls,
  { workspace, isListed }: { readonly workspace: string; isListed(call: ChangedCall): boolean },
  options: UndoOptions,
): number {
  const newest = [...all].reverse();
  const calls = options.all ? newest : newest.filter(isListed);
  if (options.json) {
    printJson({ calls, damaged });
    return EXIT.ok;
  }
  const others = newest.length - calls.length;
  const elsewhere = others === 0 ? "" : ` \`haft undo --all\` also lists ${others} elsewhere.`;
  if (calls.length === 0)
    process.stdout.write(
      `No changes ${others === 0 ? "" : "in this workspace "}are stored. Haft stores what its file tools change for 7 days; what commands change cannot be undone.${elsewhere}\n`,
    );
  else {
    process.stdout.write(
      calls
        .slice(0, LISTED_CALLS)
        .map((call) => rowOf(call, workspace))
        .join(""),
    );
    const older =
      calls.length > LISTED_CALLS
        ? ` ${calls.length - LISTED_CALLS} older calls are not shown, --json prints them.`
        : "";
    printNotice(
      `\`haft undo CALL\` undoes one of them, \`haft undo --last\` the last one in this workspace; with --dry-run they print what would change.${older}${elsewhere}`,
    );
  }
  if (damaged.length > 0) {
    const [many, whose] =
      damaged.length === 1 ? ["1 record", "this call"] : [`${damaged.length} records`, "these calls"];
    printNotice(`${many} cannot be read: ${damaged.join(", ")}. What ${whose} changed cannot be undone.`);
  }
  return EXIT.ok;
}

function rowOf(call: ChangedCall, here: string): string {
  const { id, target, source, atMs, session, isUndone, undoes, workspace } = call;
  const facts = [
    utcTime(atMs),
    ...(undoes === undefined ? [] : [`undid ${undoes.length === 1 ? undoes[0] : `${undoes.length} calls`}`]),
    ...(isUndone ? ["undone"] : []),
    ...(source === undefined ? [] : [`from ${showControls(source.target)}`]),
    ...(target === "local" && source === undefined ? [] : [`on ${showControls(target)}`]),
    ...(workspace === here ? [] : [`in ${showControls(workspace)}`]),
    `session ${JSON.stringify(showControls(session))}`,
  ];
  return `${pc.bold(id)}  ${changesOf(call, here)}\n  ${facts.join("; ")}\n`;
}

/** The tool and what it changed: `edit a.txt (changed, +1 −1)`. */
function changesOf({ tool, files }: ChangedCall, here: string): string {
  const shown = files.slice(0, LISTED_FILES).map((file) => {
    const { path, change, from, added, removed } = file;
    const lines = [added ? `+${added}` : "", removed ? `−${removed}` : ""].filter((one) => one !== "").join(" ");
    const was = from === undefined ? "" : `${shownPath(from, here)} → `;
    return `${was}${shownPath(path, here)} (${[change, lines].filter((one) => one !== "").join(", ")})`;
  });
  const more = files.length > LISTED_FILES ? [`and ${files.length - LISTED_FILES} more`] : [];
  const text = [...shown, ...more].join(", ");
  return `${showControls(tool)} ${text === "" ? "directories" : text}`;
}

/** @param elsewhere - Targets of these calls that have files of their own. */
function printReport(
  { status, calls, ids, files, conflicts, lost }: UndoReport,
  workspace: string,
  elsewhere: readonly string[],
): void {
  const [target] = calls.length === 1 ? elsewhere : [];
  const where = target === undefined ? "" : ` on ${showControls(target)}`;
  for (const { path, did, from, diff = "" } of files) {
    const verb = status === "planned" ? WOULD[did] : did;
    const was = from === undefined ? "" : ` back from ${shownPath(from, workspace)}`;
    process.stdout.write(`${verb} ${shownPath(path, workspace)}${was}${where}\n${shownLines(diff)}`);
  }
  for (const { why, diff = "" } of conflicts) process.stdout.write(`${showControls(why)}\n${shownLines(diff)}`);
  for (const { why } of lost) printNotice(why);
  const what = calls.length === 1 ? `${calls[0]!.tool} ${calls[0]!.id}` : `${calls.length} calls`;
  if (calls.length > 1 && elsewhere.length > 0)
    printNotice(`some of these changes are on ${showControls(elsewhere.join(", "))}.`);
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
