/** Runs the tool with ports bound to its grant. The call settles even if the tool never does. */

import { CallContext } from "./call-context.js";
import { type CallRun, type Ending, ended, resultOfThrown } from "./call-run.js";
import { CallSignal } from "./call-signal.js";
import type { Claim } from "./claims.js";
import { ABANDON_AFTER_MS, deadlineOf } from "./deadline.js";
import { callSafely, ERROR_CODES, HaftError, ignoreRejection } from "./errors.js";
import { revoked } from "./guard.js";
import { type CallStatus, fail, type Provenance, type ToolResult } from "./result.js";
import type { AuditEnd } from "./services.js";
import { validateToolResult } from "./validate-tool-result.js";

export async function execute(run: CallRun): Promise<Ending> {
  const { tool, cancel } = run;
  const { clock } = run.context.host;
  const end = new CallSignal();
  const deadlineMs = deadlineOf(run);
  let stopped: HaftError | undefined;
  let isAbandoned = false;
  let stopTimer = () => {};
  let onCancel = () => {};
  try {
    const returned = await new Promise<unknown>((settle) => {
      /** Called once; the tool then has a few seconds to settle by itself. */
      const stop = (reason: HaftError) => {
        if (stopped !== undefined) return;
        stopped = reason;
        stopTimer();
        stopTimer = clock.timer(ABANDON_AFTER_MS, () => {
          isAbandoned = true;
          settle(abandoned(reason));
        });
        end.abort(() => reason);
      };
      stopTimer = clock.timer(deadlineMs, () => stop(outOfTime(tool.name, deadlineMs)));
      onCancel = () => stop(new HaftError("CALL_CANCELLED", `\`${tool.name}\` was cancelled.`));
      cancel?.addEventListener("abort", onCancel, { once: true });
      if (cancel?.aborted === true) onCancel();
      const fault = (thrown: unknown) => settle(resultOfThrown(thrown, tool.name));
      watched(run, new CallContext(run, end, deadlineMs), fault).then((value) => {
        if (isAbandoned) auditLate(run, value);
        else settle(value);
      });
    });
    run.events.flush();
    const result = withOrigin(run, validateToolResult(returned, tool.name));
    return ended(statusOf(result, stopped), result);
  } finally {
    stopTimer();
    cancel?.removeEventListener("abort", onCancel);
    run.life.end();
    end.abort(() => revoked(run.call.id));
  }
}

/** The result of the tool, or of what it throws. */
async function watched(run: CallRun, ctx: CallContext, fault: (thrown: unknown) => void): Promise<unknown> {
  const { tool, input } = run;
  const { faults, hooks, isOwnTool } = run.context.host;
  const aroundRun = hooks?.aroundRun;
  try {
    if (aroundRun === undefined && (faults === undefined || isOwnTool?.(tool) === true))
      return await tool.body.run(input, ctx);
    const start = async () => tool.body.run(input, ctx);
    const runTool = () => {
      const running = start();
      ignoreRejection(running); // the hook may not await it
      return running;
    };
    const hooked = aroundRun === undefined ? runTool : async () => aroundRun({ tool: tool.name, input }, runTool);
    return await (faults === undefined ? hooked() : faults.watch<unknown>(hooked, fault));
  } catch (thrown) {
    return resultOfThrown(thrown, tool.name);
  }
}

/**
 * A result whose tool does not say where it comes from is from the foreign place that its call claimed: not from a server that has
 * not answered, where the result is a failure in the words of Haft.
 */
function withOrigin({ claims, isAnswered }: CallRun, result: ToolResult): ToolResult {
  if (result.provenance !== undefined) return result;
  const isRead = isAnswered || !isBareFailure(result);
  for (const claim of claims) {
    if (claim.kind === "network" && !isRead) continue;
    const provenance = originOf(claim);
    if (provenance !== undefined) return { ...result, provenance };
  }
  return result;
}

/** A failure without content; what a tool throws may quote what it has read by other means. */
function isBareFailure({ isError, content, data, code }: ToolResult): boolean {
  const isOfHaft = code !== "CALL_THREW" && (ERROR_CODES as readonly unknown[]).includes(code);
  return isError && isOfHaft && content.length === 0 && data === undefined;
}

function originOf(claim: Claim): Provenance | undefined {
  switch (claim.kind) {
    case "network":
      return { from: "web", ref: URL.canParse(claim.url) ? new URL(claim.url).origin : claim.url };
    case "network-open":
      return { from: "web", ref: claim.purpose };
    case "server":
      return { from: "server", ref: claim.server };
    case "external":
      return { from: "server", ref: claim.source };
    default:
      return undefined;
  }
}

function outOfTime(name: string, deadlineMs: number): HaftError {
  const message = `Stopped \`${name}\`: it did not finish within its deadline of ${deadlineMs} ms.`;
  return new HaftError("CALL_TIMEOUT", message, { details: { deadlineMs } });
}

function abandoned({ message }: HaftError): ToolResult {
  return fail(
    "CALL_ABANDONED",
    `${message} It did not stop within ${ABANDON_AFTER_MS} ms after that and was abandoned. Its ports are revoked.`,
  );
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

/** A tool that finished in spite of a cancel keeps its result: the work was done. */
function statusOf(result: ToolResult, stopped: HaftError | undefined): CallStatus {
  if (!result.isError) return "ok";
  const known = result.code === undefined ? undefined : STATUS_OF_CODE[result.code];
  return known ?? STATUS_OF_CODE[stopped?.code ?? ""] ?? "failed";
}

function auditLate(run: CallRun, late: unknown): void {
  let isError = true; // also where the result cannot be read
  callSafely(() => {
    ({ isError } = validateToolResult(late, run.tool.name));
  });
  const { host } = run.context;
  const note = `A late result was dropped: the tool settled ${isError ? "with an error" : "well"} after it had been abandoned.`;
  const entry: AuditEnd = { status: "late-value-dropped", tookMs: Math.max(0, host.clock.now() - run.startedMs), note };
  Promise.resolve()
    .then(() => host.audit.end(run.audit, entry))
    .catch(() => {});
}
