import type { RenderContext, Rendered, ToolPresenter, Truncation } from "../../kernel/index.js";
import { showControls, stripControls, truncateToTail, utf8Length } from "../../text/index.js";
import type { NewOutput, ProcessData, ProcessInput, ProcessLimits } from "../../tools/process/contract.js";
import { asInput } from "../arguments.js";
import { inputRows, jobLine, jobState, overwrittenFact, waitingLine } from "../job-lines.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";

/** Bytes reserved for the text around the output. */
const FRAME_BYTES = 2_048;

export const haftProcessPresenter: ToolPresenter<ProcessInput, ProcessData, ProcessLimits> = {
  name: "process",
  aliases: {
    cmd: "command",
    job: "id",
    jobId: "id",
    job_id: "id",
    verb: "action",
    stdin: "input",
    timeout_ms: "timeoutMs",
  },
  acceptsEmpty: ["input"], // to write nothing is not to close stdin
  paths: ["cwd"],
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    const context = withToolNotes(about, result);
    return result.data.action === "list" ? listed(result.data, context) : report(result.data, context);
  },
};

function listed({ jobs = [], omitted = 0 }: ProcessData, about: RenderContext): Rendered {
  if (jobs.length === 0) return textResult(withNotes("No jobs.", about));
  const rows = jobs.map(jobLine);
  if (omitted > 0) rows.unshift(`(${counted(omitted, "earlier job")} that ended omitted)`);
  return textResult(withNotes(rows.join("\n"), about));
}

function report(data: ProcessData, about: RenderContext): Rendered {
  // The command of a signalled job is not shown: it would read like something that was done.
  const line = data.action === "signal" ? jobState : jobLine;
  const rows = data.job === undefined ? [] : [line(data.job)];
  const facts = factsOf(data);
  const remaining = about.budget.maxBytes - FRAME_BYTES - utf8Length([...rows, ...facts, ...about.notes].join("\n"));
  const streams = [
    ["stdout", data.stdout],
    ["stderr", data.stderr],
  ] as const;
  const sizes = streams.map(([, output]) => utf8Length(output?.text ?? ""));
  const truncations: Truncation[] = [];
  streams.forEach(([name, output], index) => {
    const most = Math.max(Math.floor(remaining / 2), remaining - (sizes[1 - index] ?? 0));
    if (output === undefined) return;
    const shown = truncateToTail(output.text, most);
    rows.push(
      ...outputRows(name, { ...output, text: shown.text, omittedBytes: output.omittedBytes + shown.omittedBytes }),
    );
    if (shown.omittedBytes > 0)
      truncations.push({
        what: `new ${name} beyond the output limit`,
        producedBytes: output.newBytes,
        keptBytes: shown.keptBytes,
      });
  });
  return textResult(withNotes([...rows, ...facts].join("\n"), about), { clamped: true, truncations });
}

function outputRows(name: string, output: NewOutput): readonly string[] {
  const { newBytes, omittedBytes: dropped, droppedBytes, artifact, more } = output;
  if (newBytes + droppedBytes === 0) return [`${name}: nothing new`];
  const { overwritten = 0 } = output;
  const omitted = overwritten > 0 ? `; ${overwrittenFact(overwritten, artifact)}` : "";
  const rows = [`${name} (${counted(newBytes, "new byte")}${omitted}):`];
  const where =
    artifact === undefined ? "" : `; \`read\` or \`grep\` the path "artifact:${showControls(artifact)}" for all of it`;
  if (droppedBytes > 0) rows.push(`[… ${counted(droppedBytes, "byte")} dropped …]`);
  if (dropped > 0) rows.push(`[… ${counted(dropped, "byte")} omitted${where} …]`);
  const text = stripControls(output.text.replace(/\r(?![\r\n])/g, "\n")).text.replace(/\n$/, "");
  if (text !== "") rows.push(text);
  if (more === true) rows.push("[… more output is available: poll again …]");
  return rows;
}

function factsOf(data: ProcessData): readonly string[] {
  const rows: string[] = [];
  rows.push(...inputRows(data));
  if (data.sent !== undefined) rows.push(`sent ${stripControls(data.sent).text}`);
  if (data.inputClosed === true) rows.push("closed stdin");
  if (data.waitedMs !== undefined && data.waitingFor === undefined)
    rows.push(`still running after a wait of ${data.waitedMs} ms; wait again, or poll later`);
  if (data.waitingFor !== undefined)
    rows.push(`${waitingLine(data.waitingFor)}. Answer with \`write\` (end it with a newline), or \`stop\` it.`);
  const left = data.survivors ?? [];
  if (left.length > 0)
    rows.push(`still running: ${left.map(({ pid, name }) => `${stripControls(name).text} (pid ${pid})`).join(", ")}`);
  return rows;
}
