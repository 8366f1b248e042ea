/** Audits a call: one entry before it runs, one when it has settled. Neither can delay the call indefinitely. */
import { truncateToHead } from "../text/index.js";
import {
  allClaims,
  type CallRun,
  cancelledBeforeStart,
  type Ending,
  ended,
  MAX_AUDITED_CONNECTIONS,
  resultOfThrown,
  sourceTargetOf,
} from "./call-run.js";
import { ABANDON_AFTER_MS, DEFAULT_DEADLINE_MS } from "./deadline.js";
import { maskHeaders } from "./mask-headers.js";
import { mapClaims, mapTexts, redactEscaped } from "./redact-text.js";
import { fail } from "./result.js";
import type { AuditEnd } from "./services.js";
import type { ToolOutcome } from "./tool-outcome.js";
import { after, withTimeout } from "./with-timeout.js";

/** Bytes of a call's input, and of each text of its claims, that its audit entries keep. */
const AUDIT_INPUT_BYTES = 4_096;
/** Bytes of a call's id that its audit entry keeps. */
const AUDIT_ID_BYTES = 256;

/** A call that cannot be written to the audit log does not run, because it could not be traced afterwards. */
export async function auditBegin(run: CallRun): Promise<Ending | undefined> {
  const { tool } = run;
  const { clock } = run.context.host;
  const begun = (id: string): undefined => {
    run.audit = id;
  };
  const begin = () => after(beginEntry(run), begun);
  try {
    return await withTimeout<Ending | undefined>(
      { clock, ms: DEFAULT_DEADLINE_MS, signal: run.cancel },
      begin,
      (why) => {
        const late = `${notAudited(run)} The audit log did not answer within ${DEFAULT_DEADLINE_MS} ms.`;
        return why === "cancelled" ? cancelledBeforeStart(tool.name) : ended("timed-out", fail("CALL_TIMEOUT", late));
      },
    );
  } catch (thrown) {
    const failed = resultOfThrown(thrown, tool.name);
    return ended("failed", { ...failed, message: `${notAudited(run)} ${failed.message ?? ""}`.trim() });
  }
}

function notAudited(run: CallRun): string {
  return `Did not run \`${run.tool.name}\` because it could not be written to the audit log.`;
}

function beginEntry(run: CallRun): string | PromiseLike<string> {
  const { call, context, tool } = run;
  const { audit, digest, redactor } = context.host;
  const input = run.inputJson;
  return after(digest(input), (inputDigest) => {
    run.inputDigest = inputDigest;
    const shown = shownInput(run);
    return audit.begin({
      callId: truncateToHead(call.id, AUDIT_ID_BYTES).text,
      sessionId: context.session.id,
      tool: redactEscaped(redactor, tool.name),
      backend: run.target.name,
      ...(run.target.spec === undefined || run.target.spec === run.target.name ? {} : { spec: run.target.spec }),
      ...sourceTargetOf(run),
      workspace: truncateToHead(String(run.workspace), AUDIT_INPUT_BYTES).text,
      inputDigest,
      input: truncateToHead(shown, AUDIT_INPUT_BYTES).text,
    });
  });
}

/** Each text by itself first: as JSON, a secret of several lines is written in another way. JSON text is shown as what it holds. */
function shownInput({ call: { input }, coerced, context, inputJson }: CallRun): string {
  const { redactor } = context.host;
  if (redactor === undefined) return inputJson;
  const redact = (text: string) => redactEscaped(redactor, text);
  const shown = typeof input === "string" && "value" in coerced ? coerced.value : input;
  return redact(JSON.stringify(mapTexts(maskHeaders(shown), redact, redact)) ?? inputJson);
}

/** An error is ignored, since the call has happened and the model must get its result; the missing end shows in the audit log. */
export async function auditEnd(run: CallRun, outcome: ToolOutcome): Promise<void> {
  const { audit, clock } = run.context.host;
  try {
    const entry = {
      status: outcome.status,
      ...(outcome.code === undefined ? {} : { code: outcome.code }),
      effect: outcome.decision.effect,
      approver: outcome.decision.approver,
      ...(run.decision === undefined ? {} : { risk: run.decision.risk }),
      ...(run.approval === undefined ? {} : { approval: run.approval }),
      ...shownDecision(run, outcome.decision.rule),
      tookMs: Math.max(0, clock.now() - run.startedMs),
      truncations: outcome.truncations.length,
    };
    await withTimeout<void>(
      { clock, ms: ABANDON_AFTER_MS },
      () => audit.end(run.audit, entry),
      () => {},
    );
  } catch {}
}

/** The claims of the call and where its requests connected to, the rule that decided and what was remembered, as the audit log may show them. */
function shownDecision(run: CallRun, rule: string): Pick<AuditEnd, "claims" | "rule" | "note" | "remembered"> {
  const { connections, context, remembered } = run;
  const { redactor } = context.host;
  try {
    const shown = (text: string): string => truncateToHead(redactEscaped(redactor, text), AUDIT_INPUT_BYTES).text;
    return {
      rule: shown(rule),
      claims: mapClaims([...allClaims(run), ...connections.slice(0, MAX_AUDITED_CONNECTIONS)], shown),
      ...(connections.length > MAX_AUDITED_CONNECTIONS
        ? { note: `Only the first ${MAX_AUDITED_CONNECTIONS} connections are listed.` }
        : {}),
      ...(remembered === undefined ? {} : { remembered: { ...remembered, text: remembered.text.map(shown) } }),
    };
  } catch {
    // What it threw may hold what was not visible.
    return { note: "The claims and the rule are omitted: the redactor failed on them." };
  }
}
