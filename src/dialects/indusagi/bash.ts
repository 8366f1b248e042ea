import type { ToolPresenter } from "../../kernel/index.js";
import type { BashData, BashInput, BashLimits, StreamData } from "../../tools/bash/contract.js";
import { missing, omitUndefined, shownValue, textArgument } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { statusLines } from "../shell-status.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

const BASH_DEFAULT_TIMEOUT_MS = 120_000;
const BASH_MAX_TIMEOUT_MS = 600_000;
/** Kept of each stream at either end: as much as a report of the standard budget can show. */
const BASH_KEEP_BYTES = 65_536;

export function indusagiBashPresenter(edition: IndusagiEdition): ToolPresenter<BashInput, BashData, BashLimits> {
  return {
    name: "bash",
    description: `Run one shell command to its end and report stdout, stderr and status. \`timeoutMs\` defaults to ${BASH_DEFAULT_TIMEOUT_MS} and is at most ${BASH_MAX_TIMEOUT_MS}. An exit other than 0 is an error.`,
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command, run with sh -c." },
        timeoutMs: { type: "number", description: "Milliseconds until the command is ended." },
        cwd: { type: "string", description: "Directory to run in; the working directory by default." },
      },
      required: ["command"],
    },
    paths: ["cwd"],
    limits: {
      defaultTimeoutMs: BASH_DEFAULT_TIMEOUT_MS,
      maxTimeoutMs: BASH_MAX_TIMEOUT_MS,
      headBytes: BASH_KEEP_BYTES,
      tailBytes: BASH_KEEP_BYTES,
      exit: "error",
      redraws: "keep",
      autoBackground: false,
    },
    decode(args) {
      const command = textArgument(args, "command");
      const { timeoutMs } = args;
      if (command === undefined || command.trim() === "") return missing("command", "text that is not empty");
      if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && Number.isFinite(timeoutMs) && timeoutMs >= 1))
        return {
          problem: `\`timeoutMs\` was ${shownValue(timeoutMs)}; it takes a positive number of milliseconds`,
          parameter: "timeoutMs",
        };
      const wanted = timeoutMs === undefined ? undefined : Math.floor(timeoutMs);
      const input = omitUndefined({
        command,
        timeoutMs: wanted === undefined ? undefined : Math.min(wanted, BASH_MAX_TIMEOUT_MS),
        cwd: textArgument(args, "cwd"),
      });
      if (wanted === undefined || wanted <= BASH_MAX_TIMEOUT_MS) return { input };
      return { input, notes: [`\`timeoutMs\` ${wanted} is above the most and was taken as ${BASH_MAX_TIMEOUT_MS}.`] };
    },
    render(result, about) {
      if (result.data === undefined) return renderIndusagiFailure(edition, result, about);
      const { data } = result;
      const sections = [...sectionOf("stdout", data.stdout), ...sectionOf("stderr", data.stderr)];
      return textResult([...sections, ...statusLines(data, BASH_MAX_TIMEOUT_MS)].join("\n"));
    },
  };
}

function sectionOf(label: string, stream: StreamData): readonly string[] {
  const rows = [`${label}:`];
  if (stream.head !== "") rows.push(withoutLastNewline(stream.head));
  if (stream.omittedBytes > 0) {
    const kept = stream.artifactBytes === undefined ? "the whole is" : `${counted(stream.artifactBytes, "byte")} are`;
    const where = stream.artifact === undefined ? "" : `; ${kept} artifact:${stream.artifact}`;
    rows.push(`[${counted(stream.omittedBytes, "byte")} of ${label} left out${where}]`);
  }
  if (stream.tail !== "") rows.push(withoutLastNewline(stream.tail));
  return rows;
}

function withoutLastNewline(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
