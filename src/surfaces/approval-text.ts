/** What a user reads before they allow a call: on a terminal, in an MCP client and in `haft approvals`. */
import type { ApprovalPreview, ApprovalRequest, Claim, PolicyCall } from "../kernel/index.js";
import { allowCommand } from "../policy/index.js";
import { showDeceptive } from "../text/index.js";

/** Control and invisible characters are escaped in every text; no line has a line ending. */
export interface ApprovalText {
  /** "bash would run this command:" */
  readonly title: string;
  /** What the title announces: a command, a diff, or arguments as JSON. */
  readonly body: readonly string[];
  readonly isDiff: boolean;
  readonly rows: readonly { readonly name: string; readonly lines: readonly string[] }[];
}

export function approvalText(request: ApprovalRequest): ApprovalText {
  const { call, preview, claims, reason, rule, risk } = request;
  const target = call.spec === undefined ? call.target : `${call.target} (${call.spec})`;
  const isTruncated = preview !== undefined && preview.kind !== "server" && preview.isTruncated;
  const rows: readonly (readonly [string, string])[] = [
    ...(request.hidden === undefined ? [] : [["hidden", hiddenText(request.hidden)] as const]),
    ...(isTruncated ? [["truncated", "what it does is too long to be shown whole"] as const] : []),
    ...(preview?.kind === "command" ? commandRows(preview) : []),
    ...claims.filter((claim) => !isShown(claim, preview)).map((claim) => ["touches", claimText(claim)] as const),
    ["target", call.workspace === "" ? target : `${target}, workspace ${call.workspace}`],
    ["why", reason],
    ["rule", `${rule}, risk ${risk}`],
    ...(call.taint.length === 0 ? [] : [["read before", taintText(call)] as const]),
    ...(request.canRemember === true ? [["remembers", rememberedText(preview)] as const] : []),
    ...(request.suggestedRules ?? []).map((rule) => ["for good", allowCommand(rule)] as const),
  ];
  const { title, body } = headOf(request);
  const isDeceptive = showDeceptive(`${title}${body}`) !== `${title}${body}`;
  const warning = isDeceptive ? [["warning", "invisible and control characters are shown as escapes"] as const] : [];
  return {
    title: oneLine(title),
    body: body.split("\n").map(shownLine),
    isDiff: preview?.kind === "diff",
    rows: [...warning, ...rows].map(([name, text]) => ({ name, lines: text.split("\n").map(shownLine) })),
  };
}

/** Whitespace would push the rest of a line out of sight. */
function shownLine(line: string): string {
  return showDeceptive(line).replace(/(?<=\S) {40,}(?=\S)/g, (spaces) => ` [${spaces.length} spaces] `);
}

function hiddenText({ characters, lines }: NonNullable<ApprovalRequest["hidden"]>): string {
  const what = `${characters} ${characters === 1 ? "character" : "characters"} on ${lines} ${lines === 1 ? "line" : "lines"}`;
  return `${what} were taken for a secret and are not shown`;
}

/** Content of others that the session has seen, which may have asked for the call. */
function taintText({ taint }: PolicyCall): string {
  const shown = taint.slice(0, 3).map(({ from, ref }) => (ref === "" ? from : `${from} ${ref}`));
  const more = taint.length - shown.length;
  return `untrusted content: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** "bash: npm test", on one line. */
export function approvalSummary({ call, preview, arguments: sent }: ApprovalRequest): string {
  if (preview?.kind === "command") return oneLine(preview.command);
  if (preview?.kind === "diff") return oneLine(preview.path);
  return oneLine(`${call.tool} ${JSON.stringify(sent)}`);
}

/** A claim as a phrase: "read, write /project/a.ts". */
export function claimText(claim: Claim): string {
  switch (claim.kind) {
    case "file":
      return `${claim.access.join(", ")} ${claim.path}${claim.scope === "tree" ? " and everything below it" : ""}`;
    case "command":
      return `the command ${JSON.stringify(claim.command)} in ${claim.cwd}${commandExtras(claim)}`;
    default: {
      const { kind, ...fields } = claim;
      return `${kind} ${JSON.stringify(fields)}`;
    }
  }
}

function commandExtras({ env = {}, input, background }: Extract<Claim, { kind: "command" }>): string {
  const extras = [
    ...(Object.keys(env).length === 0 ? [] : [`with ${JSON.stringify(env)} in its environment`]),
    ...(input === undefined ? [] : [`with the stdin ${JSON.stringify(input)}`]),
    ...(background === undefined ? [] : [`may continue in the background (${background})`]),
  ];
  return extras.map((extra) => `, ${extra}`).join("");
}

function headOf({ call, preview, arguments: sent }: ApprovalRequest): {
  readonly title: string;
  readonly body: string;
} {
  switch (preview?.kind) {
    case "command":
      return { title: `${call.tool} would run this command:`, body: preview.command.replace(/\n$/, "") };
    case "diff":
      return { title: `${call.tool} would change ${preview.path}:`, body: preview.diff.replace(/\n$/, "") };
    case "server": {
      const title = `${call.tool} would call "${preview.tool}" of the MCP server "${preview.server}" with:`;
      return { title, body: JSON.stringify(preview.arguments, null, 2) };
    }
    default:
      return { title: `${call.tool} was called with:`, body: JSON.stringify(sent, null, 2) };
  }
}

type CommandPreview = Extract<ApprovalPreview, { kind: "command" }>;

const UNTIL = { session: "its session ends", host: "Haft exits", keep: "it ends by itself" } as const;

function commandRows({ directory, env = {}, input, background }: CommandPreview): (readonly [string, string])[] {
  return [
    ["directory", directory],
    ...Object.entries(env).map(([name, value]) => ["variable", `${name}=${value}`] as const),
    ...(input === undefined ? [] : [["stdin", input.replace(/\n$/, "")] as const]),
    ...(background === undefined ? [] : [["background", `it may run until ${UNTIL[background]}`] as const]),
  ];
}

/** Whether the preview says the same. The claims of a command by a path with a symlink name both places. */
function isShown(claim: Claim, preview: ApprovalPreview | undefined): boolean {
  if (preview?.kind === "command") return claim.kind === "command";
  if (preview?.kind === "server") return claim.kind === "server";
  return preview?.kind === "diff" && claim.kind === "file" && claim.path === preview.path;
}

function rememberedText(preview: ApprovalPreview | undefined): string {
  if (preview?.kind === "command") return "these programs with exactly these words, in this directory";
  return preview?.kind === "server"
    ? "every call of this tool of this server"
    : "calls that the policy counts as the same";
}

/** Escaped as shown to a user, on one line. */
export function oneLine(text: string): string {
  return showDeceptive(text).replaceAll("\n", "\\n");
}
