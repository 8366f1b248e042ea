/** From an ending to an outcome: redact, render, clamp, project. */
import type { CallRun, Ending } from "./call-run.js";
import type { Decision } from "./claims.js";
import { boundStructured, clampContent } from "./clamp-content.js";
import type { Rendered } from "./dialect.js";
import { withoutEchoes } from "./echoed-urls.js";
import { HaftError } from "./errors.js";
import { fenced } from "./fence.js";
import { mapTexts, redactEscaped, redactText } from "./redact-text.js";
import { type CallStatus, type ContentBlock, fail, type Json, project, type ToolResult } from "./result.js";
import { MAX_SHOWN_URLS } from "./session-trust.js";
import type { ToolCall } from "./tool.js";
import type { ToolOutcome } from "./tool-outcome.js";

/** The decision on a call that touches nothing. */
export const NOTHING_DECIDED: Decision = Object.freeze({
  effect: "deny",
  rule: "nothing-claimed",
  risk: "low",
  reason: "The tool claims nothing, and its ports refuse everything.",
});

/** The decision on a call that ended before one was asked for. */
const UNDECIDED: Decision = Object.freeze({
  effect: "deny",
  rule: "undecided",
  risk: "low",
  reason: "The call ended before policy was asked.",
});

/** Never rejects: what cannot be redacted, rendered or truncated is not shown, and the outcome reports that. */
export async function outcomeOf(run: CallRun, ending: Ending): Promise<ToolOutcome> {
  try {
    const result = redacted(run, ending);
    const outcome = await assemble(run, ending, result, render(run, result));
    noteOrigins(run, result, outcome);
    return outcome;
  } catch (thrown) {
    // The result is dropped: it may contain what could not be redacted.
    const why = HaftError.is(thrown) ? ` ${thrown.message}` : "";
    const message = `\`${run.tool.name}\` ended, but its result cannot be returned.${why}`;
    const status = ending.status === "ok" ? "failed" : ending.status;
    const result = fail("CALL_MALFORMED", message);
    return assemble(run, { status, result }, result, { content: plainContent(result) });
  }
}

/** The outcome of a malformed call: neither audited nor rendered, with the message of the failure as its output. */
export function bareFailure(call: ToolCall, result: ToolResult, status: CallStatus = "failed"): ToolOutcome {
  const message = result.message ?? "";
  const { rule } = UNDECIDED;
  return {
    id: typeof call.id === "string" ? call.id : "",
    tool: typeof call.name === "string" ? call.name : "",
    output: message,
    isError: true,
    ...(result.code === undefined ? {} : { code: result.code }),
    status,
    content: [{ kind: "text", text: message }],
    truncations: [],
    repairs: [],
    artifacts: [],
    decision: { rule, effect: "deny", approver: null },
    audit: "",
  };
}

async function assemble(run: CallRun, ending: Ending, result: ToolResult, rendered: Rendered): Promise<ToolOutcome> {
  const { content, ...clamped } = await clampContent(run, rendered);
  const { fenceUntrusted, ids } = run.context.host;
  const shown = fenceUntrusted === true ? fenced(content, result.provenance, ids.next("fence")) : content;
  const structured = await boundStructured(run, result.structured);
  const reported = result.truncations ?? [];
  const own =
    rendered.truncatedByPresenter === true ? reported.map(({ next: _, ...truncation }) => truncation) : reported;
  const truncations = [...own, ...(rendered.truncations ?? []), ...clamped.truncations, ...structured.truncations];
  const decision = run.decision ?? UNDECIDED;
  const effect = decision === NOTHING_DECIDED ? "allow" : decision.effect;
  return {
    id: run.call.id,
    tool: run.tool.body.name ?? run.tool.name,
    ...(result.data === undefined ? {} : { data: result.data }),
    output: project(shown),
    isError: rendered.isError ?? ending.status !== "ok",
    ...(result.code === undefined ? {} : { code: result.code }),
    status: ending.status,
    content: shown,
    ...(structured.value === undefined ? {} : { structured: structured.value }),
    truncations,
    repairs: redactedNotes(run),
    artifacts: truncations.flatMap((truncation) => (truncation.artifact === undefined ? [] : [truncation.artifact])),
    decision: { rule: decision.rule, effect, approver: run.approver },
    ...(ending.inputRequired === undefined ? {} : { inputRequired: ending.inputRequired }),
    audit: run.audit,
  };
}

/** Remembers where the content comes from that the model is about to see. */
function noteOrigins(run: CallRun, { provenance, urls = [] }: ToolResult, { content }: ToolOutcome): void {
  const { trust } = run.context.session;
  const requests = run.claims.flatMap((claim) => (claim.kind === "network" ? claim.url : []));
  trust.shownUrl(...withoutEchoes(urls.slice(-MAX_SHOWN_URLS), requests, textsOf(run.input)));
  if (provenance !== undefined && content.length > 0) trust.shown(provenance);
  for (const block of content) if (block.provenance !== undefined) trust.shown(block.provenance);
}

/** All texts of the arguments, names of properties too. */
function textsOf(input: unknown): readonly string[] {
  const texts: string[] = [];
  const note = (text: string) => {
    texts.push(text);
    return text;
  };
  mapTexts(input, note, note);
  return texts;
}

/** Renders with the presenter; a tool without one shows its blocks, else its message or its data. */
function render(run: CallRun, result: ToolResult): Rendered {
  const { presenter } = run.tool;
  if (presenter === undefined || (result.content.length > 0 && result.data === undefined))
    return { content: plainContent(result) };
  const { args, cwd, target, tool } = run;
  const notes = redactedNotes(run);
  const { budget } = run.context;
  return presenter.render(result, { arguments: args, budget, cwd, backend: target.name, notes, tool: tool.name });
}

function plainContent(result: ToolResult): readonly ContentBlock[] {
  if (result.content.length > 0) return result.content;
  if (result.message !== undefined) return [{ kind: "text", text: result.message }];
  return result.data === undefined ? [] : [{ kind: "json", value: result.data as Json }];
}

/** Notes may quote arguments. None where the redactor fails on one. */
function redactedNotes({ context, notes }: CallRun): readonly string[] {
  try {
    return notes.map((note) => redactEscaped(context.host.redactor, note));
  } catch {
    return [];
  }
}

/**
 * Redacts every string of a result, data and details included, before anything is rendered from it. A refusal of arguments may quote
 * them as the model sent them.
 */
function redacted(run: CallRun, { result, status }: Ending): ToolResult {
  const { redactor } = run.context.host;
  if (redactor === undefined) return result;
  const redact = status === "invalid" || status === "unknown-tool" ? redactEscaped : redactText;
  return mapTexts(result, (text) => redact(redactor, text)) as ToolResult;
}
