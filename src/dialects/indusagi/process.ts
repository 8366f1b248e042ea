import type { ToolPresenter } from "../../kernel/index.js";
import type {
  NewOutput,
  ProcessAction,
  ProcessData,
  ProcessInput,
  ProcessLimits,
} from "../../tools/process/contract.js";
import { missing, omitUndefined, textArgument } from "../arguments.js";
import { jobLine, jobStateOf } from "../job-lines.js";
import { counted, textResult } from "../rendering.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

/** IR-104 */
const ACTIONS = ["start", "list", "poll", "stop"] as const satisfies readonly ProcessAction[];

export function indusagiProcessPresenter(
  edition: IndusagiEdition,
): ToolPresenter<ProcessInput, ProcessData, ProcessLimits> {
  return {
    name: "process",
    description:
      "Run shell commands in the background: start one, list all, poll one for its status and new output, stop one. Output is kept in .indus-process below the working directory.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ACTIONS, description: "start, list, poll or stop." },
        command: { type: "string", description: "The command to start." },
        id: { type: "string", description: "The job to poll or stop." },
        cwd: { type: "string", description: "Directory to start in; the working directory by default." },
      },
      required: ["action"],
    },
    aliases: { verb: "action", jobId: "id" },
    // One table for the whole process: a job is there for every box, and lives until it is stopped or the host ends.
    paths: ["cwd"],
    limits: { outputLocation: "workspace", stopDeletes: true, lifetime: "host", lists: "host", redraws: "keep" },
    decode(args) {
      const action = ACTIONS.find((one) => one === textArgument(args, "action"));
      if (action === undefined) return missing("action", `one of ${ACTIONS.join(", ")}`);
      return {
        input: omitUndefined({
          action,
          command: textArgument(args, "command"),
          id: textArgument(args, "id"),
          cwd: textArgument(args, "cwd"),
        }),
      };
    },
    render(result, about) {
      if (result.isError || result.data === undefined) return renderIndusagiFailure(edition, result, about);
      const { data } = result;
      if (data.action === "list") return textResult(listed(data));
      const head = data.job === undefined ? [] : [`${data.job.id}: ${jobStateOf(data.job)}`];
      const streams = [...outputRows("stdout", data.stdout), ...outputRows("stderr", data.stderr)];
      return textResult([...head, ...streams].join("\n"));
    },
  };
}

function listed({ jobs = [], omitted = 0 }: ProcessData): string {
  const rows = jobs.map(jobLine);
  if (omitted > 0) rows.unshift(`(${counted(omitted, "earlier job")} left out)`);
  return rows.length === 0 ? "No jobs." : rows.join("\n");
}

/** IR-106: reports how much of a burst of output was omitted. */
function outputRows(name: string, output: NewOutput | undefined): readonly string[] {
  if (output === undefined || output.newBytes + output.droppedBytes === 0) return [];
  const rows = [`${name}:`];
  const left = output.omittedBytes + output.droppedBytes;
  if (left > 0) {
    const where = output.artifact === undefined ? "" : `; all of it is artifact:${output.artifact}`;
    rows.push(`[${counted(left, "earlier byte")} left out here to fit the window${where}]`);
  }
  rows.push(output.text.endsWith("\n") ? output.text.slice(0, -1) : output.text);
  return rows;
}
