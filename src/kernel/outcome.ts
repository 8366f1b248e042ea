/** From an ending to an outcome: redact, render, clamp, project. */
import type { CallRun, Ending } from "./call-run.js";
import type { Decision } from "./claims.js";
import { clampContent } from "./clamp-content.js";
import type { Rendered } from "./dialect.js";
import { messageOf } from "./errors.js";
import { type ContentBlock, project, type ToolOutcome, type ToolResult } from "./result.js";

/** The decision on a call that touches nothing. */
export const NOTHING_DECIDED: Decision = Object.freeze({
  effect: "deny",
  rule: "nothing-claimed",
  risk: "low",
  reason: "The tool claims nothing, and its ports refuse everything.",
});

export async function outcomeOf(run: CallRun, ending: Ending): Promise<ToolOutcome> {
  const result = redacted(run, ending.result);
  const rendered = render(run, result);
  const clamped = await clampContent(run, rendered);
  const cuts = [...(result.cuts ?? []), ...(rendered.cuts ?? []), ...clamped.cuts];
  const decision = run.decision ?? NOTHING_DECIDED;
  const effect = decision === NOTHING_DECIDED ? "allow" : decision.effect;
  return {
    id: run.call.id,
    output: project(clamped.content),
    isError: ending.status !== "ok",
    ...(result.code === undefined ? {} : { code: result.code }),
    status: ending.status,
    content: clamped.content,
    ...(result.structured === undefined ? {} : { structured: result.structured }),
    cuts,
    repairs: run.notes,
    artifacts: cuts.flatMap((cut) => (cut.artifact === undefined ? [] : [cut.artifact])),
    decision: { rule: decision.rule, effect, approver: run.approver },
    ...(ending.inputRequired === undefined ? {} : { inputRequired: ending.inputRequired }),
    audit: run.audit,
  };
}

/** A face renders everything it is given; a tool without one shows its blocks, else its message or its data. */
function render(run: CallRun, result: ToolResult): Rendered {
  const { face } = run.tool;
  if (face === undefined || (result.content.length > 0 && result.data === undefined))
    return { content: plainContent(result) };
  try {
    const { budget } = run.context;
    const { args, cwd, notes } = run;
    return face.render(result, { arguments: args, budget, cwd, backend: run.backend.name, notes, tool: run.tool.name });
  } catch (thrown) {
    return {
      content: [{ kind: "text", text: `The result of \`${run.tool.name}\` could not be shown: ${messageOf(thrown)}` }],
    };
  }
}

function plainContent(result: ToolResult): readonly ContentBlock[] {
  if (result.content.length > 0) return result.content;
  if (result.message !== undefined) return [{ kind: "text", text: result.message }];
  return result.data === undefined ? [] : [{ kind: "json", value: result.data }];
}

/** Takes secrets out of every text of a result, data and details included, before anything is rendered from it. */
function redacted(run: CallRun, result: ToolResult): ToolResult {
  const { redactor } = run.context.host;
  if (redactor === undefined) return result;
  return mapTexts(result, (text) => redactor.redact(text)) as ToolResult;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)]));
}
