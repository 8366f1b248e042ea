/** A call of the audit log, as a line and in full. */
import pc from "picocolors";
import { type AuditedApproval, type Claim, isRecord } from "../../../../kernel/index.js";
import { showControls } from "../../../../text/index.js";
import type { auditAdmin } from "../../../../toolkit/index.js";
import { claimText } from "../../../approval-text.js";
import { utcTime } from "../../output.js";

type Call = Awaited<ReturnType<typeof auditAdmin>>["calls"][number];

const MAX_INPUT_CHARACTERS = 120;
const STATUS_WIDTH = 14;
const TOOL_WIDTH = 12;

/** What became of a question, with its subject before it: "approval denied". */
const APPROVALS: Readonly<Record<AuditedApproval, (by: string) => string>> = {
  pending: () => "approval requested",
  granted: (by) => `approval granted by ${by}`,
  remembered: () => "approval remembered",
  denied: () => "approval denied",
  timeout: () => "approval timed out",
  cancelled: () => "cancelled while it waited for approval",
  invalid: () => "the approval was not for this call",
  "no-approver": () => "it needs an approval, and no user could be asked",
};

export function auditedRow(call: Call): string {
  const { id, atMs, status = "no end", tool, tookMs, sessionId, target, source, workspace, input } = call;
  const took = tookMs === undefined ? "" : `${tookMs} ms`;
  const shown = input.length > MAX_INPUT_CHARACTERS ? `${input.slice(0, MAX_INPUT_CHARACTERS)}…` : input;
  const columns = [utcTime(atMs), status.padEnd(STATUS_WIDTH), tool.padEnd(TOOL_WIDTH), took.padStart(9)];
  // The default session of the command line is named after its workspace.
  const where = workspace === "" || sessionId.includes(workspace) ? "" : ` in ${JSON.stringify(workspace)}`;
  const from = source === undefined ? "" : ` from ${source.target}`;
  const on = target === "" || (target === "local" && source === undefined) ? "" : ` on ${target}${from}`;
  const judged = judgement(call);
  const more = judged === undefined ? [] : [`(${judged})`];
  return showControls([...columns, JSON.stringify(sessionId) + on + where, shown, ...more, id].join("  "));
}

/** Why it did not run, or who allowed it; undefined for a call that the policy allowed by itself. */
function judgement({ status, end }: Call): string | undefined {
  const approval = approvalOf(end);
  if (approval !== undefined) return approval;
  return status === "denied" && typeof end?.rule === "string" ? `denied by the rule "${end.rule}"` : undefined;
}

function approvalOf(end: Call["end"]): string | undefined {
  const words = (APPROVALS as Readonly<Record<string, (by: string) => string>>)[String(end?.approval)];
  return words === undefined ? undefined : `${words(String(end?.approver))}${rememberedText(end?.remembered)}`;
}

/** " for the project: `npm test` with any further file or name, in this directory"; empty for an approval of this call only. */
function rememberedText(remembered: unknown): string {
  if (!isRecord(remembered) || (remembered.scope !== "session" && remembered.scope !== "project")) return "";
  const texts = Array.isArray(remembered.text) ? remembered.text.filter((text) => typeof text === "string") : [];
  return ` for the ${remembered.scope}: ${texts.length === 0 ? "what the policy counts as the same" : texts.join("; ")}`;
}

/** Every field for a user, and where the entries are. */
export function auditedCallText(call: Call): string {
  const { id, callId, atMs, status = "no end: it runs, or its process was killed", tool, tookMs, end, begin } = call;
  const { sessionId, target, spec, source, workspace, input } = call;
  const rows: [string, string][] = [];
  const add = (name: string, text: string) => rows.push([name, showControls(text)]);
  add("call", callId === "" ? id : `${id} (${callId})`);
  add("time", utcTime(atMs) + (tookMs === undefined ? "" : `, took ${tookMs} ms`));
  add("tool", tool);
  add("target", `${target}${spec === target ? "" : ` (${spec})`}${workspace === "" ? "" : ` in ${workspace}`}`);
  if (source !== undefined) add("source", `${source.target}${source.spec === undefined ? "" : ` (${source.spec})`}`);
  add("session", sessionId);
  add("status", status + (typeof end?.code === "string" ? ` (${end.code})` : ""));
  const risk = typeof end?.risk === "string" ? `, risk ${end.risk}` : "";
  if (typeof end?.effect === "string") add("decision", `${end.effect}${risk}, by the rule "${String(end.rule)}"`);
  const approval = approvalOf(end);
  if (approval !== undefined) add("approval", approval);
  for (const claim of new Set(claimTexts(end?.claims))) add("touches", claim);
  add("input", input);
  add("digest", `SHA-256 ${String(begin.inputDigest)}`);
  if (typeof end?.truncations === "number" && end.truncations > 0) add("truncated", `${end.truncations} parts`);
  if (typeof end?.note === "string") add("note", end.note);
  return `${rows.map(([name, value]) => `${pc.bold(name.padEnd(9))} ${value}`).join("\n")}\n`;
}

function claimTexts(claims: unknown): readonly string[] {
  if (!Array.isArray(claims)) return [];
  return claims.map((claim) => {
    try {
      return claimText(claim as Claim);
    } catch {
      // Of a version that wrote it otherwise.
      return JSON.stringify(claim);
    }
  });
}
