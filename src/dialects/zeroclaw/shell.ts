import type { Rendered, ToolPresenter, ToolResult, Truncation } from "../../kernel/index.js";
import { truncateToHead, type Utf8Truncation } from "../../text/index.js";
import type { BashData, BashInput, BashLimits } from "../../tools/bash/contract.js";
import { missing, textArgument } from "../arguments.js";
import { newTruncations, textResult } from "../rendering.js";
import { streamTruncation, survivorTruncations, unfinishedTruncations } from "../shell-truncations.js";
import { unfinishedReason } from "../unfinished-reason.js";
import { callError } from "./call-error.js";
import { failed } from "./envelope.js";
import * as messages from "./messages.js";

const SHELL_TIMEOUT_MS = 60_000;
/** Of each stream, its start; the cut falls between characters and leaves no mark. */
const SHELL_MAX_OUTPUT_BYTES = 1_048_576;

export const shellPresenter: ToolPresenter<BashInput, BashData, BashLimits> = {
  name: "shell",
  description: `Run a shell command in the workspace directory, for at most ${SHELL_TIMEOUT_MS / 1_000} seconds.`,
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command" },
      approved: { type: "boolean", description: "Has no effect here: approval is asked of a person", default: false },
    },
    required: ["command"],
  },
  aliases: { cmd: "command", script: "command", shell_command: "command", bash: "command", sh: "command" },
  bareString: "command",
  limits: {
    defaultTimeoutMs: SHELL_TIMEOUT_MS,
    maxTimeoutMs: SHELL_TIMEOUT_MS,
    headBytes: SHELL_MAX_OUTPUT_BYTES,
    tailBytes: 0,
    exit: "error",
    redraws: "keep",
    autoBackground: false,
  },
  decode(args) {
    const command = textArgument(args, "command");
    if (command === undefined) return missing("command", "text");
    const notes = args.approved === true ? [messages.APPROVED_IGNORED] : [];
    return { input: { command: command.trim() }, notes };
  },
  render(result) {
    return result.data === undefined
      ? failed(callError(result, messages.shellExecutionFailed, "shell"))
      : report(result, result.data);
  },
};

function report(result: ToolResult<BashData>, data: BashData): Rendered {
  const stdout = truncateToHead(data.stdout.head, SHELL_MAX_OUTPUT_BYTES);
  const stderr = truncateToHead(data.stderr.head, SHELL_MAX_OUTPUT_BYTES);
  const survivors = survivorTruncations(data);
  if (data.ended !== "itself") {
    const truncations = [...unfinishedTruncations(data), ...survivors];
    return failed(messages.shellExecutionFailed(whyNotFinished(data)), "", newTruncations(result, truncations));
  }
  const truncations = newTruncations(result, [
    ...omissionNote("stdout", data, stdout),
    ...omissionNote("stderr", data, stderr),
    ...survivors,
  ]);
  const output = joined(stdout.text, stderr.text);
  if (data.exitCode === 0 && data.signal === null) return textResult(output, { clamped: true, ...truncations });
  return failed(messages.exitCode(data.signal === null ? (data.exitCode ?? -1) : -1), output, truncations);
}

function omissionNote(name: "stdout" | "stderr", data: BashData, kept: Utf8Truncation): readonly Truncation[] {
  const { bytes, omittedBytes: dropped, tail } = data[name];
  const isWhole = dropped === 0 && tail === "" && kept.omittedBytes === 0;
  return isWhole ? [] : streamTruncation(name, data[name], Math.min(kept.keptBytes, bytes - dropped));
}

function joined(stdout: string, stderr: string): string {
  if (stderr === "") return stdout;
  return stdout === "" ? stderr : messages.bothStreams(stdout, stderr);
}

function whyNotFinished(data: BashData): string {
  if (data.ended === "deadline") return `command timed out after ${data.timeoutMs / 1000} seconds`;
  return unfinishedReason(data);
}
