import type { RenderContext, Rendered, ToolPresenter, Truncation } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import { BASH_LIMITS, type BashData, type BashInput, type BashLimits } from "../../tools/bash/contract.js";
import { SCHEDULE_LIMITS } from "../../tools/cron/contract.js";
import { asInput } from "../arguments.js";
import { textResult } from "../rendering.js";
import { statusLines } from "../shell-status.js";
import { streamTruncation } from "../shell-truncations.js";
import { fitStreams, type ShownStream, streamSection } from "./bash-streams.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";

export const haftBashPresenter: ToolPresenter<BashInput, BashData, BashLimits> = {
  name: "bash",
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
  decode: asInput,
  render(result, about) {
    return result.data === undefined
      ? renderHaftFailure(result, about)
      : report(result.data, withToolNotes(about, result));
  },
};

/** The same for a run of a schedule: its limit is that of its schedule, and what its session stores is gone with it. */
export const haftScheduledBashPresenter: ToolPresenter<BashInput, BashData, BashLimits> = {
  ...haftBashPresenter,
  render(result, about) {
    const { data } = result;
    if (data === undefined) return haftBashPresenter.render(result, about);
    const shown = { ...data, stdout: withoutArtifact(data.stdout), stderr: withoutArtifact(data.stderr) };
    return report(shown, withToolNotes(about, result), data.ended === "deadline" ? SCHEDULED : CALLED);
  },
};

function withoutArtifact({ artifact: _, ...stream }: BashData["stdout"]): BashData["stdout"] {
  return stream;
}

type StatusOptions = readonly [maxTimeoutMs: number, inBackground: string | null];

const CALLED: StatusOptions = [BASH_LIMITS.maxTimeoutMs, "with `background`"];
const SCHEDULED: StatusOptions = [SCHEDULE_LIMITS.maxTimeoutMs, null];

function report(data: BashData, about: RenderContext, options = CALLED): Rendered {
  const status = statusLines(data, ...options);
  const isSilent = data.stdout.bytes === 0 && data.stderr.bytes === 0;
  if (data.dispatchedTo !== undefined || (data.began === "no" && isSilent))
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
