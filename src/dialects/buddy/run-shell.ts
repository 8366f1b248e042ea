import type { RenderContext, Rendered, ToolPresenter, ToolResult } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import type { BashData, BashInput, BashLimits } from "../../tools/bash/contract.js";
import { missing, textArgument } from "../arguments.js";
import { failureOf } from "../failure.js";
import { newTruncations, textResult } from "../rendering.js";
import { streamTruncation, survivorTruncations, unfinishedTruncations } from "../shell-truncations.js";
import { unfinishedReason } from "../unfinished-reason.js";
import { renderBuddyFailure } from "./failure-text.js";
import { headCharacters } from "./head-characters.js";
import { DENIED_BY_USER, dispatched, executionFailed, NEEDS_TMUX, REFUSED_IN_PANE, shellReport } from "./messages.js";
import { parseWait, shortDuration } from "./wait-duration.js";

/** Of each stream, its start. */
const RUN_SHELL_MAX_CHARACTERS = 4_000;
const RUN_SHELL_HEAD_BYTES = 4 * RUN_SHELL_MAX_CHARACTERS + 384;
/** The imitated system waits without a limit; a call must settle, so a day is the most. */
const RUN_SHELL_MAX_WAIT_MS = 86_400_000;

export const runShellPresenter: ToolPresenter<BashInput, BashData, BashLimits> = {
  name: "run_shell",
  description: `Run a shell command with sh -c and return its exit code and the first ${RUN_SHELL_MAX_CHARACTERS} characters of stdout and of stderr.`,
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command" },
      wait: {
        oneOf: [{ type: "boolean" }, { type: "string" }, { type: "integer" }],
        default: true,
        description:
          'true: until it exits; a number of seconds or a duration like "30s", "10m", "1h": at most so long, then an error; false: only start it (needs tmux)',
      },
    },
    required: ["command"],
  },
  acceptsEmpty: ["wait"],
  limits: {
    defaultTimeoutMs: RUN_SHELL_MAX_WAIT_MS,
    maxTimeoutMs: RUN_SHELL_MAX_WAIT_MS,
    headBytes: RUN_SHELL_HEAD_BYTES,
    tailBytes: 0,
    exit: "result",
    redraws: "keep",
    autoBackground: false,
    background: "pane",
  },
  decode(args) {
    const command = textArgument(args, "command");
    if (command === undefined) return missing("command", "text");
    const wait = parseWait(args.wait);
    if ("problem" in wait) return { problem: wait.problem, parameter: "wait" };
    if (wait.mode === "dispatch" && changesPane(command)) return { problem: REFUSED_IN_PANE, parameter: "command" };
    if (wait.mode === "dispatch") return { input: { command, background: true } };
    if (wait.mode === "until-exit") return { input: { command } };
    return { input: { command, timeoutMs: Math.min(wait.timeoutMs, RUN_SHELL_MAX_WAIT_MS) } };
  },
  render(result, about) {
    return result.data === undefined ? refusal(result) : report(result, result.data, about);
  },
};

/** BD-027: a line that sets errexit in the shell of the pane or ends it, or that makes or ends panes of tmux. */
const ENDS_SHELL = /^\s*(?:set\s+-(?:\w*e|o\s+errexit)|setopt\s+errexit|exit|logout|exec)(?![\w-])/im;
const MANAGES_TMUX =
  /\btmux\s+(?:-\S+\s+)*(?:new-session|new-window|split-window|kill-session|kill-pane|create-pane)\b/;

function changesPane(command: string): boolean {
  return ENDS_SHELL.test(command) || MANAGES_TMUX.test(command);
}

function refusal(result: ToolResult<BashData>): Rendered {
  const failure = failureOf(result);
  if (failure.code === "BACKEND_UNSUPPORTED" && failure.details.feature === "terminal")
    return textResult(executionFailed(NEEDS_TMUX), { clamped: true });
  if (failure.code === "POLICY_DENIED" && failure.details.deniedBy === "approver")
    return textResult(DENIED_BY_USER, { clamped: true, isError: false });
  return renderBuddyFailure(result, (one) => one.message);
}

function report(result: ToolResult<BashData>, data: BashData, about: RenderContext): Rendered {
  if (data.dispatchedTo !== undefined) return textResult(dispatched(data.dispatchedTo.pane), { clamped: true });
  const survivors = survivorTruncations(data);
  if (data.ended !== "itself") {
    const truncations = [...unfinishedTruncations(data), ...survivors];
    return textResult(executionFailed(whyNotFinished(data, about)), {
      clamped: true,
      ...newTruncations(result, truncations),
    });
  }
  const stdout = headCharacters(data.stdout.head, RUN_SHELL_MAX_CHARACTERS, data.stdout.omittedBytes > 0);
  const stderr = headCharacters(data.stderr.head, RUN_SHELL_MAX_CHARACTERS, data.stderr.omittedBytes > 0);
  const truncations = [
    ...(stdout.text === stdout.kept ? [] : streamTruncation(`stdout ${AFTER}`, data.stdout, utf8Length(stdout.kept))),
    ...(stderr.text === stderr.kept ? [] : streamTruncation(`stderr ${AFTER}`, data.stderr, utf8Length(stderr.kept))),
    ...survivors,
  ];
  const code = data.signal === null ? (data.exitCode ?? -1) : -1;
  return textResult(shellReport(code, stdout.text, stderr.text), {
    clamped: true,
    ...newTruncations(result, truncations),
  });
}

const AFTER = `after its first ${RUN_SHELL_MAX_CHARACTERS} characters`;

function whyNotFinished(data: BashData, about: RenderContext): string {
  const backend = about.backend === undefined ? "" : `${about.backend} `;
  if (data.ended === "deadline") return `${backend}command timed out after ${shortDuration(data.timeoutMs)}`;
  return unfinishedReason(data);
}
