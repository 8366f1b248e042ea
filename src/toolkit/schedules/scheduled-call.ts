/** One run of a schedule: a call of its own through the whole pipeline. */
import { haftDialect, haftScheduledBashPresenter as presenter } from "../../dialects/haft/haft-dialect.js";
import {
  type Approval,
  type ApprovalRequest,
  type Approver,
  type Autonomy,
  blockText,
  type ClaimedRun,
  createToolBox,
  type Io,
  presentTool,
  REMEMBERED_ANSWER,
  type Schedule,
  type ScheduleRunEnd,
  strictestLevel,
  type ToolOutcome,
} from "../../kernel/index.js";
import { bashTool, SCHEDULE_LIMITS } from "../../tools/index.js";
import type { ToolkitSession } from "../toolkit.js";

/** What a run needs of its toolkit. */
export interface ScheduledCallParts {
  /** A new temporary session of this owner. */
  session(owner: string | undefined): ToolkitSession;
  /** The level of the toolkit. */
  readonly autonomy: Autonomy;
  /** Asked about what the user has not approved when the schedule was added. */
  readonly approver?: Approver;
  /** The name of the default target. */
  readonly defaultTarget: string;
}

/** `bash` as Haft shows it, for as long as a schedule may say, and never in the background. */
const scheduledBash = presentTool(
  bashTool,
  {
    ...presenter,
    parameters: {
      type: "object",
      properties: { command: { type: "string" }, cwd: { type: "string" }, timeoutMs: { type: "integer" } },
      required: ["command", "cwd", "timeoutMs"],
    },
    limits: { ...presenter.limits, maxTimeoutMs: SCHEDULE_LIMITS.maxTimeoutMs, autoBackground: false },
  },
  haftDialect,
);

/**
 * Runs the command as `bash` does, at the stricter level of the schedule and the toolkit. Policy judges it again.
 * @param signal - Ends the command: the end is then "interrupted".
 */
export async function runScheduled(
  { run, schedule }: ClaimedRun,
  { session: open, autonomy, approver, defaultTarget }: ScheduledCallParts,
  signal: AbortSignal,
): Promise<ScheduleRunEnd> {
  const session = open(schedule.owner);
  try {
    session.setAutonomy(strictestLevel(schedule.autonomy, autonomy));
    const { command, cwd, timeoutMs, target } = schedule;
    const on = target === defaultTarget ? {} : { on: target };
    const input = { command, cwd, timeoutMs: Math.min(timeoutMs, SCHEDULE_LIMITS.maxTimeoutMs), ...on };
    const { runner } = createToolBox([scheduledBash], () => session.context());
    const call = { id: run.id, name: scheduledBash.name, input };
    const outcome = await runner.run(call, { signal, approver: scheduleApprover(schedule, approver) });
    const end = endOf(outcome);
    return end.state === "refused" && schedule.deleteAfterRun
      ? { ...end, reason: `${end.reason} ${keptText(schedule)}` }
      : end;
  } finally {
    await session.end().catch(() => {});
  }
}

/** Grants exactly the command that the user approved when it was scheduled; all else is for the approver of the host, at once or never. */
function scheduleApprover(schedule: Schedule, approver: Approver | undefined): Approver {
  const by = schedule.approvedBy === REMEMBERED_ANSWER ? undefined : schedule.approvedBy;
  return {
    async ask(request: ApprovalRequest, io: Io): Promise<Approval> {
      if (by !== undefined && isApproved(schedule, request)) return { by, scope: "once" };
      const answer = await approver?.ask(request, io);
      if (answer !== undefined && !("pending" in answer)) return answer;
      return { denied: `${request.reason} ${by === undefined ? NOT_APPROVED : otherThanApproved(schedule, request)}` };
    },
  };
}

function isApproved({ command, cwd }: Schedule, { claims, hidden }: ApprovalRequest): boolean {
  return (
    claims.length > 0 &&
    claims.every(
      (claim) =>
        claim.kind === "command" &&
        // Of a command with a secret in it, the request has no more than what is shown.
        (claim.command === command || hidden !== undefined) &&
        claim.cwd === cwd &&
        claim.background === undefined &&
        claim.input === undefined,
    )
  );
}

/** Why an approval does not hold: the directory may be a link, or the command may touch what policy asks about by itself. */
function otherThanApproved({ cwd }: Schedule, { claims }: ApprovalRequest): string {
  const other = claims.find((claim) => claim.kind === "command" && claim.cwd !== cwd);
  if (other?.kind === "command")
    return `The user approved it in "${cwd}", and that is "${other.cwd}" where it runs. Add the schedule with \`cwd\` "${other.cwd}".`;
  return "The user approved the command when it was scheduled, and not all that it would do now. Allow that by a rule, with `haft policy allow '…'`.";
}

const NOT_APPROVED =
  "It needs an approval, and the user has not approved it for this schedule. What helps: a rule that allows it, in the configuration of the process that runs the schedule, and a restart of that process; or `haft schedule add` with this command in a terminal, where the user can approve it.";

function keptText({ id }: Schedule): string {
  return `The schedule is kept: \`haft schedule run ${id}\` runs it once it is allowed.`;
}

function endOf(outcome: ToolOutcome): ScheduleRunEnd {
  const { status, code, data } = outcome;
  const text = outcome.content.map(blockText).join("\n");
  const exitCode = exitCodeOf(data);
  const ran = { output: text, ...(exitCode === undefined ? {} : { exitCode }) };
  if (status === "ok") return { state: "succeeded", ...ran };
  if (status === "denied" || status === "input-required") return { state: "refused", reason: text };
  if (status === "cancelled") return { state: "interrupted", ...ran, reason: "Its host stopped." };
  return { state: "failed", ...(data === undefined ? { reason: text } : ran), ...reasonOf(code, data) };
}

function reasonOf(code: string | undefined, data: unknown): { readonly reason?: string } {
  if (data === undefined || code === undefined || code === "SHELL_EXIT") return {};
  return { reason: code };
}

function exitCodeOf(data: unknown): number | undefined {
  const { exitCode } = (data ?? {}) as { readonly exitCode?: unknown };
  return typeof exitCode === "number" ? exitCode : undefined;
}
