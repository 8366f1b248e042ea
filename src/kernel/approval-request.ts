/** What a user is shown before a call runs: its arguments, its claims, and a preview of what it does. */
import { renderUnifiedDiff, truncateToHead } from "../text/index.js";
import { textsOnTarget, touchesOf } from "./approved-call.js";
import { allClaims, type CallRun, sourceTargetOf } from "./call-run.js";
import type { CommandStart, Decision } from "./claims.js";
import { policyCallOf } from "./decide-stage.js";
import { CountingRedactor, hiddenInDiff, hiddenLines } from "./hidden-part.js";
import { maskHeaders } from "./mask-headers.js";
import { readBeforehand } from "./read-beforehand.js";
import { mapClaims, mapTexts, redactedPair, redactText } from "./redact-text.js";
import type { Json } from "./result.js";
import type { ApprovalPreview, ApprovalRequest, PathChange } from "./services.js";
import { shrinkJson } from "./shrink-json.js";
import type { CallPreview, FileChange } from "./tool.js";

/** Bytes of the arguments in a request, as JSON; the largest texts are replaced by their sizes first. */
export const MAX_SHOWN_ARGUMENTS_BYTES = 32 * 1024;
/** Bytes of the diff, or of the command, in a preview. */
export const MAX_PREVIEW_BYTES = 32 * 1024;

type Asked = Extract<Decision, { effect: "ask" }>;

/** Redacted as it is shown and stored. @throws What the redactor throws: text that could not be redacted is never shown. */
export async function approvalRequest(run: CallRun, decision: Asked): Promise<ApprovalRequest> {
  const { ids, redactor } = run.context.host;
  const redact = (text: string) => redactText(redactor, text);
  const inArguments = new CountingRedactor(redactor);
  const { value: shown, truncations } = await shownArguments(run, inArguments);
  const inClaims = new CountingRedactor(redactor);
  const claims = mapClaims(allClaims(run), (text) => inClaims.redact(text));
  const inPreview = new CountingRedactor(redactor);
  const preview = await previewOf(run, shown, inPreview);
  const isWhole = preview !== undefined && preview.kind !== "server";
  const hidden = isWhole ? inPreview.hidden : (inArguments.hidden ?? inClaims.hidden);
  // What is shown only in part is not agreed to for calls to come.
  const isShown = hidden === undefined && (isWhole || truncations.length === 0);
  const canRemember = isShown && decision.remember !== undefined && decision.remember.length > 0;
  return {
    token: ids.next("approval"),
    touches: await touchesOf(run),
    call: policyCallOf(run),
    ...sourceTargetOf(run),
    claims,
    rule: redact(decision.rule),
    risk: decision.risk,
    reason: redact(decision.reason),
    ...(decision.suggestedRules === undefined ? {} : { suggestedRules: decision.suggestedRules.map(redact) }),
    ...(canRemember ? { canRemember: true as const, ...rememberedTextOf(run, decision, redact) } : {}),
    ...(hidden === undefined ? {} : { hidden }),
    arguments: shown,
    ...(truncations.length === 0 ? {} : { hasShortenedArguments: true as const }),
    ...(preview === undefined ? {} : { preview }),
  };
}

function rememberedTextOf(
  run: CallRun,
  { rememberedText }: Asked,
  redact: (text: string) => string,
): Pick<ApprovalRequest, "rememberedText"> {
  return rememberedText === undefined ? {} : { rememberedText: textsOnTarget(run, rememberedText).map(redact) };
}

async function shownArguments(run: CallRun, redactor: CountingRedactor) {
  const redact = (text: string) => redactor.redact(text);
  // Without a redactor, nothing is hidden.
  const add = (text: string) => redactor.add({ characters: text.length, lines: 1 });
  const args = run.context.host.redactor === undefined ? run.args : maskHeaders(run.args, add);
  const redacted = mapTexts(args, redact, redact);
  return shrinkJson(redacted, MAX_SHOWN_ARGUMENTS_BYTES, async () => undefined);
}

/** One of several commands would look like all that the call does, so such a call has no preview. */
async function previewOf(run: CallRun, shown: Json, redactor: CountingRedactor): Promise<ApprovalPreview | undefined> {
  const [one, ...others] = run.stated.filter((claim) => claim.kind === "command" || claim.kind === "server");
  if (one === undefined) return changePreview(run, redactor);
  if (others.length > 0) return undefined;
  if (one.kind === "command") {
    const schedule = await schedulePreview(run, redactor);
    return { ...commandPreview(run, one, redactor), ...(schedule === undefined ? {} : { schedule }) };
  }
  return { kind: "server", server: one.server, tool: one.tool, arguments: shown };
}

function commandPreview(
  run: CallRun,
  { command, cwd, env, input, background, detachAfter }: CommandStart,
  redactor: CountingRedactor,
): Extract<ApprovalPreview, { kind: "command" }> {
  const granted = run.grant?.commands.find((one) => one.command === command && one.cwd === cwd);
  let isTruncated = false;
  const shown = (text: string) => {
    const one = bounded(redactor, text);
    isTruncated ||= one.isTruncated;
    return one.text;
  };
  const start = {
    command: shown(command),
    directory: shown(granted?.real ?? cwd),
    ...(env === undefined ? {} : { env: mapTexts(env, shown, shown) as Readonly<Record<string, string>> }),
    ...(input === undefined ? {} : { input: shown(input) }),
    ...(background === undefined ? {} : { background }),
    ...(detachAfter === undefined ? {} : { detachAfter }),
  };
  return { kind: "command", ...start, isTruncated };
}

/** When the command of the call would run, if the call schedules it. */
async function schedulePreview(run: CallRun, redactor: CountingRedactor) {
  const shown = await callPreview(run);
  if (shown === undefined || !("kind" in shown) || shown.kind !== "schedule") return undefined;
  const { kind: _, name, ...schedule } = shown;
  return { ...schedule, ...(name === undefined ? {} : { name: bounded(redactor, name).text }) };
}

/** The change that the call would make. */
async function changePreview(run: CallRun, redactor: CountingRedactor): Promise<ApprovalPreview | undefined> {
  const change = await callPreview(run);
  if (change === undefined) return undefined;
  if ("kind" in change) return change.kind === "schedule" ? undefined : redactedPaths(change, redactor);
  const diff = redactedDiff(change, redactor);
  if (diff === "") return undefined;
  const { text, isTruncated } = bounded(redactor, diff);
  return { kind: "diff", path: bounded(redactor, change.path).text, diff: text, isTruncated };
}

/** What the tool says that it would do; what it has read for that reaches the approver alone. */
async function callPreview(run: CallRun): Promise<CallPreview | undefined> {
  const { preview } = run.tool.body;
  if (preview === undefined) return undefined;
  // What is wrong the call itself will report, for example that its text is not found.
  return readBeforehand(run, (ctx) => preview(run.input, ctx)).catch(() => undefined);
}

function redactedPaths(change: PathChange, redactor: CountingRedactor): PathChange {
  const { path, to } = change;
  const shown = { ...change, path: redactor.redact(path) };
  return to === undefined ? shown : { ...shown, to: redactor.redact(to) };
}

/**
 * A diff in which no part of a secret is left; empty where it would not say what changes. The lines of a diff are parts of a text,
 * in which a redactor does not find a secret of several lines: such a change has no diff, and others are compared after redaction.
 */
function redactedDiff({ before, after, diff }: FileChange, redactor: CountingRedactor): string {
  const pair = redactedPair({ redact: (text) => redactor.redactUncounted(text) }, before, after);
  if (pair === undefined) return "";
  const [old, next] = pair;
  if (old === before && next === after) return diff;
  redactor.add(hiddenInDiff(diff, hiddenLines(before, old), hiddenLines(after, next)));
  return renderUnifiedDiff(old, next);
}

function bounded(redactor: CountingRedactor, text: string): { readonly text: string; readonly isTruncated: boolean } {
  const redacted = redactor.redact(text);
  const kept = truncateToHead(redacted, MAX_PREVIEW_BYTES).text;
  return { text: kept, isTruncated: kept.length < redacted.length };
}
