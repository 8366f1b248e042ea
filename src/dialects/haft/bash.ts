import type { RenderContext, Rendered, ToolPresenter, Truncation } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import type { BashData, BashInput, BashLimits } from "../../tools/bash/contract.js";
import { booleanArgument, missing, numberArgument, omitUndefined, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { statusLines } from "../shell-status.js";
import { streamTruncation } from "../shell-truncations.js";
import { fitStreams, type ShownStream, streamSection } from "./bash-streams.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";

const BASH_DEFAULT_TIMEOUT_MS = 120_000;
const BASH_MAX_TIMEOUT_MS = 600_000;
const BASH_HEAD_BYTES = 8_192;
const BASH_TAIL_BYTES = 24_576;

export const haftBashPresenter: ToolPresenter<BashInput, BashData, BashLimits> = {
  name: "bash",
  description: `Run a command with \`sh -c\`, without a terminal. \`cd\` does not carry over to the next call. Each stream keeps its first ${BASH_HEAD_BYTES / 1024} and last ${BASH_TAIL_BYTES / 1024} KiB; the whole becomes an artifact. An exit other than 0 is an error.`,
  parameters: {
    type: "object",
    properties: {
      command: { type: "string" },
      timeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: BASH_MAX_TIMEOUT_MS,
        description: `Default ${BASH_DEFAULT_TIMEOUT_MS}; then the whole process tree is ended`,
      },
      cwd: { type: "string" },
      input: { type: "string", description: "Standard input; else empty" },
      background: { type: "boolean", description: "Answer at once; see `process`" },
    },
    required: ["command"],
    additionalProperties: false,
  },
  aliases: {
    cmd: "command",
    script: "command",
    timeout_ms: "timeoutMs",
    workdir: "cwd",
    working_directory: "cwd",
    stdin: "input",
    run_in_background: "background",
    is_background: "background",
  },
  acceptsEmpty: ["input"],
  paths: ["cwd"],
  limits: {
    defaultTimeoutMs: BASH_DEFAULT_TIMEOUT_MS,
    maxTimeoutMs: BASH_MAX_TIMEOUT_MS,
    headBytes: BASH_HEAD_BYTES,
    tailBytes: BASH_TAIL_BYTES,
    exit: "error",
    autoBackground: true,
    redraws: "omit",
  },
  decode(args) {
    const command = textArgument(args, "command");
    const timeoutMs = numberArgument(args, "timeoutMs");
    if (command === undefined) return missing("command", "string");
    if (command.trim() === "") return { problem: "`command` is empty; send a shell command", parameter: "command" };
    if (timeoutMs !== undefined && (timeoutMs < 1 || !Number.isInteger(timeoutMs)))
      return {
        problem: `\`timeoutMs\` was ${timeoutMs}; must be 1 to ${BASH_MAX_TIMEOUT_MS} milliseconds`,
        parameter: "timeoutMs",
      };
    const capped = timeoutMs === undefined ? undefined : Math.min(timeoutMs, BASH_MAX_TIMEOUT_MS);
    return {
      input: omitUndefined({
        command,
        timeoutMs: capped,
        cwd: textArgument(args, "cwd"),
        input: textArgument(args, "input"),
        background: booleanArgument(args, "background"),
      }),
    };
  },
  render(result, about) {
    return result.data === undefined
      ? renderHaftFailure(result, about)
      : report(result.data, withToolNotes(about, result));
  },
};

function report(data: BashData, about: RenderContext): Rendered {
  const status = statusLines(data, BASH_MAX_TIMEOUT_MS, "with `background`");
  if (data.began === "no" && data.stdout.bytes === 0 && data.stderr.bytes === 0)
    return textResult(withNotes(status.join("\n"), about), { clamped: true });
  const frame = utf8Length([...status, ...about.notes].join("\n")) + 8 * about.notes.length;
  const [stdout, stderr] = fitStreams([data.stdout, data.stderr], about.budget.maxBytes - frame);
  const sections = [...streamSection("stdout", stdout), ...streamSection("stderr", stderr)];
  const text = withNotes([...sections, ...status].join("\n"), about);
  return textResult(text, {
    clamped: true,
    truncations: [...truncationOf("stdout", stdout), ...truncationOf("stderr", stderr)],
  });
}

/** What is omitted beyond the truncations that the tool itself reports. */
function truncationOf(name: string, { source, omitted }: ShownStream): readonly Truncation[] {
  if (omitted <= source.omittedBytes) return [];
  return streamTruncation(`${name} beyond the output limit`, source, Math.max(0, source.bytes - omitted));
}
