/** Runs the tool with ports bound to its grant, and sees to it that the call settles whatever the tool does. */

import { callContext } from "./call-context.js";
import { type CallRun, type Ending, ended, resultOfThrown } from "./call-run.js";
import { ABANDON_AFTER_MS, deadlineOf } from "./deadline.js";
import { HaftError } from "./errors.js";
import { readResult } from "./read-result.js";
import { type CallStatus, fail, type ToolResult } from "./result.js";
import { timerOf } from "./timer-of.js";

export async function execute(run: CallRun): Promise<Ending> {
  const { context, tool } = run;
  const { clock, faults, hooks } = context.host;
  const control = new AbortController();
  const deadlineMs = deadlineOf(run);
  const cancel = () => control.abort(new HaftError("CALL_CANCELLED", `\`${tool.name}\` was cancelled.`));
  const stopDeadline = timerOf(clock, deadlineMs, () => {
    control.abort(
      new HaftError(
        "CALL_TIMEOUT",
        `Stopped \`${tool.name}\`: it did not finish within its deadline of ${deadlineMs} ms.`,
        {
          details: { deadlineMs },
        },
      ),
    );
  });
  context.signal.addEventListener("abort", cancel, { once: true });
  if (context.signal.aborted) cancel();

  const guard = settleGuard(run, control.signal);
  const runTool = async () => tool.body.run(run.input, callContext(run, control.signal, clock.now() + deadlineMs));
  const hooked =
    hooks?.aroundRun === undefined
      ? runTool
      : async () => hooks.aroundRun!({ tool: tool.name, input: run.input }, runTool);
  const watched = async () => (faults === undefined ? hooked() : faults.watch(hooked, guard.fault));
  const body = watched().catch((thrown: unknown) => resultOfThrown(thrown, tool.name));
  try {
    const result = readResult(await Promise.race([body, guard.settled]), tool.name);
    if (guard.isAbandoned()) body.then((late) => recordLate(run, readResult(late, tool.name)));
    return ended(statusOf(result, control.signal), result);
  } finally {
    guard.stop();
    stopDeadline();
    context.signal.removeEventListener("abort", cancel);
    control.abort(run.life.end());
  }
}

/** Settles in the tool's place when it ignores its signal or faults outside its promise. */
function settleGuard(run: CallRun, signal: AbortSignal) {
  const { clock } = run.context.host;
  let stopTimer: (() => void) | undefined;
  let abandoned = false;
  let settle: (result: ToolResult) => void = () => {};
  const settled = new Promise<ToolResult>((done) => {
    settle = done;
  });
  const abandon = () => {
    abandoned = true;
    const why = HaftError.is(signal.reason) ? signal.reason.message : `\`${run.tool.name}\` was cancelled.`;
    settle(
      fail(
        "CALL_ABANDONED",
        `${why} It did not stop within ${ABANDON_AFTER_MS} ms after that and was abandoned; it can touch nothing any more.`,
      ),
    );
  };
  const start = () => {
    stopTimer ??= timerOf(clock, ABANDON_AFTER_MS, abandon);
  };
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return {
    settled,
    isAbandoned: () => abandoned,
    fault: (thrown: unknown) => settle(resultOfThrown(thrown, run.tool.name)),
    stop() {
      signal.removeEventListener("abort", start);
      stopTimer?.();
    },
  };
}

const STATUS_OF_CODE: Readonly<Record<string, CallStatus>> = {
  CALL_ABANDONED: "abandoned",
  CALL_CANCELLED: "cancelled",
  SHELL_CANCELLED: "cancelled",
  CALL_TIMEOUT: "timed-out",
  SHELL_TIMEOUT: "timed-out",
  CALL_INVALID: "invalid",
  POLICY_DENIED: "denied",
  POLICY_APPROVAL_REQUIRED: "denied",
};

/** What a tool finished in spite of a cancel is told as it is: the work was done. */
function statusOf(result: ToolResult, signal: AbortSignal): CallStatus {
  if (!result.isError) return "ok";
  const known = result.code === undefined ? undefined : STATUS_OF_CODE[result.code];
  if (known !== undefined) return known;
  if (!signal.aborted || !HaftError.is(signal.reason)) return "failed";
  return STATUS_OF_CODE[signal.reason.code] ?? "failed";
}

function recordLate(run: CallRun, late: ToolResult): void {
  const { host } = run.context;
  const note = `A late value was dropped: the tool settled ${late.isError ? "with an error" : "well"} after it had been abandoned.`;
  const entry = { status: "late-value-dropped", tookMs: host.clock.now() - run.startedMs, note };
  Promise.resolve()
    .then(() => host.audit.end(run.audit, entry))
    .catch(() => {});
}
