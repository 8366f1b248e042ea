/** Lists, shows and decides on requests for approval. */
import pc from "picocolors";
import type { ApprovalDecision, StoredApproval } from "../../../../kernel/index.js";
import { type ApprovalAdmin, approvalAdmin } from "../../../../toolkit/index.js";
import { approvalSummary, approvalText, oneLine } from "../../../approval-text.js";
import { type StateOptions, stateAdminOptions } from "../../configuration.js";
import { printJson, printNotice } from "../../output.js";
import { coloredApproval, userName } from "../../terminal-approver.js";
import { EXIT, UsageError } from "../../usage.js";

export interface ListOptions extends StateOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

export interface GrantOptions extends StateOptions {
  readonly session?: boolean;
  readonly project?: boolean;
}

export interface DenyOptions extends StateOptions {
  readonly reason?: string;
}

const PREFIX = "approval-";
const SHORT_TOKEN = 8;
const MAX_SESSION = 24;
const MAX_TARGET = 24;
const MAX_SUMMARY = 100;

export function listApprovals(options: ListOptions): Promise<number> {
  return withAdmin(options, async (admin) => {
    const found = await admin.list(options.all === true ? {} : { pending: true });
    if (options.json === true) printJson(found);
    else if (found.length > 0) process.stdout.write(table(found));
    else
      printNotice(
        "no call waits for an approval. Calls wait here when `haft serve` has to ask and its client cannot; `--state DIR` looks in another state directory, and `--store URL` or HAFT_STORE in another database.",
      );
    return EXIT.ok;
  });
}

export function showApproval(token: string, options: ListOptions): Promise<number> {
  return withOne(token, options, async (_admin, one) => {
    if (options.json === true) printJson(one, 2);
    else {
      const { request, decision } = one;
      const short = shortToken(request.token);
      process.stdout.write(coloredApproval(approvalText(request)));
      process.stdout.write(
        decision === undefined
          ? `\nAsked ${askedText(one)}\nAllow it:  haft approvals grant ${short}${request.canRemember === true ? "   (once; or with --session or --project)" : ""}\nDeny it:   haft approvals deny ${short}\n`
          : `\n${decisionText(decision)}\n`,
      );
    }
    return EXIT.ok;
  });
}

export function grantApproval(token: string, options: GrantOptions): Promise<number> {
  if (options.session === true && options.project === true)
    throw new UsageError("--session and --project cannot be combined: --project includes this session.");
  return withOne(token, options, async (admin, one) => {
    const by = userName();
    const scope = options.project === true ? "project" : options.session === true ? "session" : undefined;
    if (scope !== undefined && one.request.canRemember !== true) {
      printNotice(
        `did not allow it: the policy asks about each such call (rule ${one.request.rule}), so --${scope} has no effect. Without it the call is allowed once.`,
      );
      return EXIT.errorResult;
    }
    const decision: ApprovalDecision = scope === undefined ? { granted: by } : { granted: by, scope };
    return decide(admin, one, decision, by, () => {
      const until = { session: ", and the same until its session ends", project: ", and the same in this project" };
      return `allowed \`${approvalSummary(one.request)}\` once${scope === undefined ? "" : until[scope]}. It runs when the client sends the same call again in the session ${JSON.stringify(one.call.session)}.`;
    });
  });
}

export function denyApproval(token: string, options: DenyOptions): Promise<number> {
  return withOne(token, options, (admin, one) => {
    const by = userName();
    const reason = options.reason ?? `${by} did not allow it.`;
    return decide(admin, one, { denied: reason }, by, () => `denied \`${approvalSummary(one.request)}\`.`);
  });
}

/** Takes back what was granted for projects. */
export function forgetApprovals(options: StateOptions): Promise<number> {
  return withAdmin(options, async (admin) => {
    const count = await admin.forgetProjects();
    printNotice(`took back what was granted for ${count} ${count === 1 ? "project" : "projects"}.`);
    return EXIT.ok;
  });
}

async function decide(
  admin: ApprovalAdmin,
  one: StoredApproval,
  decision: ApprovalDecision,
  by: string,
  done: () => string,
): Promise<number> {
  if (await admin.decide(one, decision, by)) {
    printNotice(done());
    return EXIT.ok;
  }
  printNotice(
    `did not decide on ${shortToken(one.request.token)}: ${one.decision === undefined ? "it was used or decided meanwhile" : decisionText(one.decision)}.`,
  );
  return EXIT.errorResult;
}

async function withAdmin(options: StateOptions, use: (admin: ApprovalAdmin) => Promise<number>): Promise<number> {
  const admin = await approvalAdmin(await stateAdminOptions(options));
  try {
    return await use(admin);
  } finally {
    await admin.close();
  }
}

/** The request whose token begins so, with or without "approval-". */
function withOne(
  token: string,
  options: StateOptions,
  use: (admin: ApprovalAdmin, one: StoredApproval) => Promise<number>,
): Promise<number> {
  return withAdmin(options, async (admin) => {
    const full = token.startsWith(PREFIX) ? token : `${PREFIX}${token}`;
    const found = (await admin.list()).filter(({ request }) => request.token.startsWith(full));
    const [one] = found;
    if (one !== undefined && found.length === 1 && token !== "" && token !== PREFIX) return use(admin, one);
    const why =
      found.length > 1
        ? `${found.length} tokens begin with it. Give more of it`
        : "no call that waits here has this token; it may have been used, its session ended, or it waits elsewhere (`--state DIR`, `--store URL` or HAFT_STORE)";
    printNotice(`did not find "${token}": ${why}. \`haft approvals\` lists the calls that wait.`);
    return EXIT.errorResult;
  });
}

function askedText({ createdMs, call }: StoredApproval): string {
  const age = ageText(Date.now() - createdMs);
  return `${age === "now" ? "just now" : `${age} ago`} in the session ${JSON.stringify(oneLine(call.session))}`;
}

function table(found: readonly StoredApproval[]): string {
  // Most users have only this machine.
  const hasTargets = found.some(({ request }) => request.call.target !== "local");
  const targetCell = (text: string) => (hasTargets ? [text] : []);
  const rows = found.map((one) => [
    shortToken(one.request.token),
    ageText(Date.now() - one.createdMs),
    shortened(one.call.session, MAX_SESSION),
    ...targetCell(shortened(one.request.call.target, MAX_TARGET)),
    one.call.tool,
    (one.decision === undefined ? "" : `[${decisionText(one.decision)}] `) +
      shortened(approvalSummary(one.request), MAX_SUMMARY),
  ]);
  const head = ["TOKEN", "AGE", "SESSION", ...targetCell("TARGET"), "TOOL", "WHAT"];
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ");
  return [pc.dim(line(head)), ...rows.map(line)].map((one) => `${one}\n`).join("");
}

function decisionText(decision: ApprovalDecision): string {
  return oneLine("denied" in decision ? `denied: ${decision.denied}` : `granted by ${decision.granted}, not used yet`);
}

function shortToken(token: string): string {
  const random = token.startsWith(PREFIX) ? token.slice(PREFIX.length) : token;
  return oneLine(random.slice(0, SHORT_TOKEN));
}

function shortened(text: string, characters: number): string {
  const shown = oneLine(text);
  return shown.length <= characters ? shown : `${shown.slice(0, characters - 1)}…`;
}

function ageText(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}
