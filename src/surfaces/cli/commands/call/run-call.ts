/** Runs one call and prints its result. */
import { hash, randomUUID } from "node:crypto";
import { type Dialect, HaftError, type ToolBox, type ToolCall, type ToolOutcome } from "../../../../kernel/index.js";
import { type ChosenTarget, createToolkit, jobAdmin, nameOf } from "../../../../toolkit/index.js";
import {
  type CommonOptions,
  dialectArgument,
  disabledNote,
  type Settings,
  settingsOf,
  settledWorkspace,
} from "../../common-options.js";
import { printJson, printNotice } from "../../output.js";
import { serversOf, withServers } from "../../servers-of.js";
import { endedAfterKill, survivorWatch } from "../../survivor-watch.js";
import { workspaceFor } from "../../target-places.js";
import { controllingTerminal, terminalApprover } from "../../terminal-approver.js";
import { EXIT } from "../../usage.js";
import { printWebNotices } from "../../web-settings.js";
import { answerJson, answerText } from "./answer-text.js";
import { hasNoInput, inputOf, readInput } from "./call-input.js";
import { explanationText } from "./explanation-text.js";
import { type LiveProgress, liveProgress } from "./live-progress.js";
import { watchStdout } from "./stdout-watch.js";

export interface CallOptions extends CommonOptions {
  readonly session?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
}

/**
 * Returns the exit status. Background processes of the call are killed and listed on stderr.
 *
 * @param words - What follows the tool's name: parameters, or one JSON object.
 * @param known - The options of the command, to suggest one for a misspelled option.
 */
export async function callCommand(
  tool: string,
  words: readonly string[],
  options: CallOptions,
  known: readonly string[],
): Promise<number> {
  const settings = await settingsOf(options);
  const workspace = settledWorkspace(options.workspace, settings.config);
  const given = await readInput(words, process.stdin);
  let target: ChosenTarget = settings.targets[0]; // known once the input is parsed
  const survivors = survivorWatch(() => target);
  const servers = await serversOf(settings.config, workspace, {
    isNeeded: (name) => tool.startsWith(`${name}__`),
  });
  let progress: LiveProgress | undefined;
  const terminal = controllingTerminal();
  const approver =
    terminal === undefined
      ? {}
      : { approver: terminalApprover(terminal, (question) => progress?.without(question) ?? question()) };
  const toolkit = await withServers(servers, async () =>
    createToolkit({
      ...settings.toolkit,
      tools: await servers.tools(),
      ...workspaceFor(settings.targets, workspace),
      hooks: survivors.hooks,
      ...approver,
    }),
  );
  try {
    printWebNotices(settings.webNotices.filter((notice) => isToolOf(toolkit.dialect, tool, notice.tool)));
    const box = toolkit.session(sessionId(options.session, workspace, settings.targets[0])).box();
    const input = inputOf(given, box.descriptors().find(({ name }) => name === tool)?.parameters, known);
    target = targetOf(input, settings.targets);
    if (options.explain) return await explain(box, { id: "call", name: tool, input }, options.json === true);
    progress = liveProgress(tool, process.stderr);
    const shown = progress;
    const call = { id: "call-1", name: tool, input };
    let outcome = await withInterrupt((signal) => runShown(box, call, shown, signal));
    if (options.session === undefined && hasNoSession(outcome) && !isAboutSession(toolkit.dialect, tool)) {
      printNotice(
        `the session of this workspace cannot be used, so this call has one of its own. ${String(outcome.output)}`,
      );
      outcome = await withInterrupt((signal) => runShown(toolkit.session().box(), call, shown, signal));
    }
    if (options.json) process.stdout.write(answerJson(toolkit.dialect.envelope(outcome), process.stdout));
    else printAnswer(outcome);
    const hint = hintFor(outcome, { tool, words, input }, settings, toolkit.dialect);
    if (hint !== undefined) printNotice(hint);
    if (outcome.status === "cancelled") return EXIT.interrupted;
    if (outcome.status === "invalid" && hasNoInput(words)) return EXIT.usage;
    return outcome.isError ? EXIT.errorResult : EXIT.ok;
  } finally {
    const previous = endedAfterKill(await toolkit.takeReports());
    const [{ left: ours }, { left: theirs }] = await Promise.all([
      toolkit.close().catch(reportUnsaved),
      servers.close(),
    ]);
    const left = [...ours, ...theirs];
    const { stateDir } = settings.toolkit;
    const jobs = survivors.jobs.length === 0 ? undefined : await jobAdmin(stateDir === undefined ? {} : { stateDir });
    for (const line of [...previous, ...survivors.report(left, jobs?.list())]) printNotice(line);
  }
}

/** Whether the tool is about what the session holds. */
const isAboutSession = (dialect: Dialect, tool: string) =>
  ["todo_read", "todo_set"].some((own) => isToolOf(dialect, tool, own));

/** Whether nothing was decided or run because the session's state cannot be used. Without it, a file may have to be read again. */
function hasNoSession({ code, decision, audit }: ToolOutcome): boolean {
  // A call without an entry in the audit log could not be written there, and no other one can.
  return code?.startsWith("STORE_") === true && decision.rule === "undecided" && audit !== "";
}

/** Whether the dialect has Haft's tool under this name. */
const isToolOf = ({ tools }: Dialect, name: string, own: string) => tools[own]?.name === name;

/** The target of the call: its `on` parameter, else the first one. */
function targetOf(input: unknown, targets: Settings["targets"]): ChosenTarget {
  const { on: chosen } = (typeof input === "object" && input !== null ? input : {}) as { readonly on?: unknown };
  return targets.find((one) => nameOf(one) === chosen) ?? targets[0];
}

function printAnswer(outcome: ToolOutcome): void {
  const { text, hidden } = answerText(outcome, process.stdout);
  process.stdout.write(text);
  if (hidden > 0)
    printNotice(
      `removed ${hidden} control characters from the output. They are printed if stdout is a pipe; --json shows them escaped.`,
    );
}

/** The call has its result, so a problem with the state directory is only reported. @throws any other error */
function reportUnsaved(error: unknown): { readonly left: readonly string[] } {
  if (!HaftError.is(error) || !error.code.startsWith("STORE_")) throw error;
  printNotice(`the session's record of read files was not stored. ${error.message}`);
  const { left } = error.details;
  return { left: Array.isArray(left) ? left : [] };
}

/** A hint for the user: the result itself is written for a model. */
function hintFor(
  outcome: ToolOutcome,
  { tool, words, input }: { readonly tool: string; readonly words: readonly string[]; readonly input: unknown },
  settings: Settings,
  dialect: Dialect,
): string | undefined {
  const more = dialectArgument(settings.dialect);
  if (outcome.status === "unknown-tool")
    return `${disabledNote(tool, dialect, settings.disabled)}\`haft tools${more}\` lists the tools.`;
  if (outcome.code === "POLICY_APPROVAL_REQUIRED")
    return "no user could be asked, because this is not a terminal. Run the same command in a terminal to be asked there.";
  if (outcome.status !== "invalid") return undefined;
  if (settings.targets.length === 1 && typeof input === "object" && input !== null && "on" in input)
    return "add `--on TARGET` once for each target, the default first.";
  if (!hasNoInput(words)) return undefined;
  return `No parameters were given. Give them as name=value; \`haft tools ${tool}${more}\` shows them with an example.`;
}

/** The most that a store takes as the id of a session. */
const MAX_ID_BYTES = 1_024;

/** By default one for each workspace: that of the default target. */
function sessionId(name: string | undefined, workspace: string, { target, workspace: own }: ChosenTarget): string {
  if (name === undefined) {
    const id = `cli:${own === undefined ? workspace : `${target}=${own}`}`;
    return Buffer.byteLength(id) <= MAX_ID_BYTES ? id : `cli:${hash("sha256", id)}`;
  }
  if (name !== "new") return name;
  const id = `cli-${randomUUID().slice(0, 8)}`;
  printNotice(`started the session "${id}". Continue it with \`--session ${id}\`.`);
  return id;
}

async function explain(box: ToolBox, call: Parameters<ToolBox["explain"]>[0], asJson: boolean): Promise<number> {
  const explanation = await box.explain(call);
  if (explanation === undefined) {
    printNotice(`there is no tool "${call.name}". \`haft tools\` lists the tools.`);
    return EXIT.errorResult;
  }
  if (asJson) printJson(explanation, 2);
  else process.stdout.write(explanationText(explanation));
  return explanation.stopped === undefined ? EXIT.ok : EXIT.errorResult;
}

async function runShown(
  box: ToolBox,
  call: ToolCall,
  progress: LiveProgress,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  try {
    return await box.runner.run(call, { signal, onEvent: progress.onEvent });
  } finally {
    progress.end();
  }
}

/** The first Ctrl+C cancels the call and waits for its end, as a closed stdout does; the second exits at once. */
async function withInterrupt<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    printNotice("cancelling; press Ctrl+C again to exit at once.");
    stop.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
  const unwatch = watchStdout(() => {
    printNotice("cancelling: stdout was closed.");
    stop.abort();
  });
  try {
    return await run(stop.signal);
  } finally {
    unwatch();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, onSignal);
  }
}
