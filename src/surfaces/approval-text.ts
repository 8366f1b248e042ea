/** What a user reads before they allow a call: on a terminal, in an MCP client and in `haft approvals`. */
import {
  type ApprovalPreview,
  type ApprovalRequest,
  type Claim,
  type CommandStart,
  isWithin,
  type PolicyCall,
  type SourceTarget,
} from "../kernel/index.js";
import { allowCommand } from "../policy/index.js";
import { relativeInside, shortenRuns, showDeceptive } from "../text/index.js";

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
  const { call, preview, reason, rule, risk } = request;
  const target = targetText(call);
  const isTruncated =
    preview === undefined || preview.kind === "server"
      ? request.hasShortenedArguments === true && onlyInput(request) === undefined
      : "isTruncated" in preview && preview.isTruncated;
  const rows: readonly (readonly [string, string])[] = [
    ...(request.hidden === undefined ? [] : [["hidden", hiddenText(request.hidden)] as const]),
    ...(isTruncated ? [["truncated", "what it does is too long to be shown whole"] as const] : []),
    ...(preview?.kind === "command" ? commandRows(preview) : []),
    ...touchedTexts(request).map((text) => ["touches", text] as const),
    ...keyRows(request),
    ...(request.source === undefined ? [] : [["reads from", targetText(request.source)] as const]),
    ["target", call.workspace === "" ? target : `${target}, workspace ${call.workspace}`],
    ["why", reason],
    ["rule", `${rule}, risk ${risk}`],
    ...(call.taint.length === 0 ? [] : [["read before", taintText(call)] as const]),
    ...(request.canRemember === true ? rememberedTexts(request).map((text) => ["remembers", text] as const) : []),
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

function targetText({ target, spec }: SourceTarget): string {
  return spec === undefined ? target : `${target} (${spec})`;
}

/** Whitespace would push the rest of a line out of sight. */
function shownLine(line: string): string {
  return showDeceptive(shortenRuns(line));
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
export function approvalSummary({ call, preview, source, arguments: sent }: ApprovalRequest): string {
  switch (preview?.kind) {
    case "command":
      return oneLine(preview.schedule === undefined ? preview.command : `${preview.schedule.when}: ${preview.command}`);
    case "diff":
      return oneLine(preview.path);
    case "delete":
    case "move":
    case "copy":
      return pathChangeLines(preview, call.workspace, source).join(" ");
    default:
      return oneLine(`${call.tool} ${JSON.stringify(sent)}`);
  }
}

/** A claim as a phrase: "read, write /project/a.ts". */
export function claimText(claim: Claim): string {
  switch (claim.kind) {
    case "file":
      return `${claim.access.join(", ")} ${claim.path}${claim.scope === "tree" ? " and everything below it" : ""}${claim.target === undefined ? "" : ` on ${claim.target}`}`;
    case "command":
      return `the command ${JSON.stringify(claim.command)} in ${claim.cwd}${commandExtras(claim)}`;
    case "network":
      return `${claim.method} ${claim.url}${claim.address === undefined ? "" : ` at ${claim.address}`}`;
    case "secret":
      return `the secret ${JSON.stringify(claim.name)} for ${claim.hosts.join(", ")}`;
    case "pane":
      return `${claim.action} ${claim.id === undefined ? "panes of the terminal" : `the pane "${claim.id}"`}`;
    default: {
      const { kind, ...fields } = claim;
      return `${kind} ${JSON.stringify(fields)}`;
    }
  }
}

function commandExtras(claim: Extract<Claim, { kind: "command" }>): string {
  const { env = {}, input } = claim;
  const background = backgroundText(claim);
  const extras = [
    ...(Object.keys(env).length === 0 ? [] : [`with ${JSON.stringify(env)} in its environment`]),
    ...(input === undefined ? [] : [`with the stdin ${JSON.stringify(input)}`]),
    ...(background === undefined ? [] : [background]),
  ];
  return extras.map((extra) => `, ${extra}`).join("");
}

/**
 * Undefined for what ends with its call. Only to wait for input, which it was not given, nothing continues that the user has to know
 * of beforehand.
 */
function backgroundText({ background, detachAfter }: Pick<CommandStart, "background" | "detachAfter">) {
  if (background === undefined || detachAfter === "input") return undefined;
  return detachAfter === undefined
    ? `it runs in the background until ${UNTIL[background]}`
    : `after ${Math.round(detachAfter / 1_000)} s it continues in the background, until ${UNTIL[background]}`;
}

/** What is written or typed, if nothing else is. */
function onlyInput({ claims }: ApprovalRequest) {
  const [input, ...others] = claims.filter((claim) => claim.kind === "input");
  return others.length > 0 ? undefined : input;
}

function headOf(request: ApprovalRequest): { readonly title: string; readonly body: string } {
  const { call, preview, arguments: sent } = request;
  const input = onlyInput(request);
  switch (preview?.kind) {
    case "command":
      return {
        title: `${call.tool} would ${preview.schedule === undefined ? "run" : "schedule"} this command:`,
        body: preview.command.replace(/\n$/, ""),
      };
    case "diff":
      return {
        title: `${call.tool} would change ${shownPath(preview.path, call.workspace)}:`,
        body: preview.diff.replace(/\n$/, ""),
      };
    case "server": {
      const title = `${call.tool} would call "${preview.tool}" of the MCP server "${preview.server}" with:`;
      return { title, body: JSON.stringify(preview.arguments, null, 2) };
    }
    case "delete":
    case "move":
    case "copy":
      return {
        title: `${call.tool} would ${preview.kind} this ${NOUNS[preview.entry]}:`,
        body: pathChangeLines(preview, call.workspace, request.source).join("\n"),
      };
  }
  if (input === undefined) return { title: `${call.tool} was called with:`, body: JSON.stringify(sent, null, 2) };
  if (input.to === "pane")
    return { title: `${call.tool} would type this into the pane "${input.id}":`, body: typedText(input.text) };
  return {
    title: `${call.tool} would write this to the background command "${input.id}":`,
    body: input.text.replace(/\n$/, ""),
  };
}

/** A key is shown as `<Up>`, which could also be text: the arguments show which of them it is. */
function keyRows({ claims, arguments: sent }: ApprovalRequest): (readonly [string, string])[] {
  const hasKey = claims.some((claim) => claim.kind === "input" && claim.to === "pane" && /<[^<>\s]+>/.test(claim.text));
  return hasKey ? [["arguments", JSON.stringify(sent)]] : [];
}

/** Whether Enter is pressed at the end decides whether a command runs: each one is shown. */
function typedText(text: string): string {
  return text.replaceAll("\n", "<Enter>\n").replace(/\n$/, "");
}

type PathPreview = Extract<ApprovalPreview, { kind: "delete" | "move" | "copy" }>;

const NOUNS = { file: "file", directory: "directory", link: "symlink", other: "special file" } as const;

/** "build/ (12 files, 3 directories, 3400 bytes)". */
function pathChangeLines(change: PathPreview, workspace: string, source?: SourceTarget): readonly string[] {
  const { kind, path, entry, inside, sizeBytes, to, replaces } = change;
  const slash = entry === "directory" ? "/" : "";
  const isCounted = inside !== undefined && inside.files + inside.directories > 0;
  const counts = [
    ...(isCounted ? [counted(inside.files, "file"), counted(inside.directories, "directory")] : []),
    ...(sizeBytes === undefined || (inside !== undefined && !isCounted) ? [] : [counted(sizeBytes, "byte")]),
  ].filter((one) => !one.startsWith("0 ") || entry === "file");
  const unknown = kind === "delete" && entry === "directory" ? " with everything in it" : "";
  const size = counts.length > 0 ? ` (${counts.join(", ")})` : inside === undefined ? unknown : " (empty)";
  const from = source === undefined ? shownPath(path, workspace) : oneLine(`${path} on ${source.target}`);
  const first = `${from}${slash}${size}`;
  if (to === undefined) return [first];
  const replaced = replaces === undefined ? "" : `, replacing the ${NOUNS[replaces]} there`;
  return [first, `to ${shownPath(to, workspace)}${slash}${replaced}`];
}

function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.replace(/y$/, "ie")}s`;
}

/** Relative to the workspace, which the question names. On one line. */
function shownPath(path: string, workspace: string): string {
  const inside = workspace === "" ? undefined : relativeInside(workspace, path);
  return oneLine(inside === undefined || inside === "" ? path : inside);
}

type CommandPreview = Extract<ApprovalPreview, { kind: "command" }>;

/** Of one question: what an answer for longer is remembered for. */
const MAX_REMEMBERED = 8;
const UNTIL = { session: "its session ends", host: "Haft exits", keep: "it ends by itself" } as const;

function commandRows(preview: CommandPreview): (readonly [string, string])[] {
  const { directory, env = {}, input, schedule } = preview;
  const background = backgroundText(preview);
  return [
    ...(schedule === undefined ? [] : scheduleRows(schedule)),
    ["directory", directory],
    ...Object.entries(env).map(([name, value]) => ["variable", `${name}=${value}`] as const),
    ...(input === undefined ? [] : [["stdin", input.replace(/\n$/, "")] as const]),
    ...(background === undefined ? [] : [["background", background] as const]),
  ];
}

function scheduleRows({
  when,
  next,
  name,
  missed,
}: NonNullable<CommandPreview["schedule"]>): (readonly [string, string])[] {
  return [
    ["when", [when, ...next].join("\n")],
    ...(name === undefined ? [] : [["name", name] as const]),
    ["missed", missedText(missed)],
  ];
}

/** What happens with due times that pass while Haft is not running. */
function missedText(missed: NonNullable<CommandPreview["schedule"]>["missed"]): string {
  if (missed === "skip") return "times missed while Haft is not running are skipped";
  if (missed === "once" || missed === 1) return "after a pause of Haft, only the latest missed time runs";
  return `after a pause of Haft, at most the latest ${missed} missed times run`;
}

/** What the call touches beside what is shown of it already. What is allowed without a question ("if-allowed") is not asked about. */
function touchedTexts({ claims, preview, source }: ApprovalRequest): readonly string[] {
  const files = claims.filter((claim) => claim.kind === "file");
  const isParent = ({ path, access, optional }: (typeof files)[number]) =>
    optional === "unless-denied" &&
    access.every((one) => one === "create") &&
    files.some((other) => other.optional === undefined && isWithin(path, other.path));
  const parents = files.filter(isParent);
  const isTouched = (claim: Claim) =>
    !isShown(claim, preview, source) &&
    (claim.kind !== "file" || (claim.optional !== "if-allowed" && !parents.includes(claim)));
  return [
    ...claims.filter(isTouched).map(claimText),
    ...(parents.length === 0 ? [] : ["creates missing parent directories"]),
  ];
}

/** Whether the preview says the same. The claims of a command by a path with a symlink name both places. */
function isShown(claim: Claim, preview: ApprovalPreview | undefined, source: SourceTarget | undefined): boolean {
  switch (preview?.kind) {
    case "command":
      if (claim.kind === "state") return preview.schedule !== undefined && claim.collection === "schedules";
      return claim.kind === "command";
    case "server":
      return claim.kind === "server";
    case "diff":
      return claim.kind === "file" && claim.path === preview.path;
    case "delete":
    case "move":
      return claim.kind === "file" && (claim.path === preview.path || claim.path === preview.to);
    case "copy": {
      if (claim.kind !== "file") return false;
      const isSource = claim.path === preview.path && claim.target === source?.target;
      return isSource || (claim.path === preview.to && claim.target === undefined);
    }
    default:
      return claim.kind === "input";
  }
}

function rememberedTexts({ rememberedText = [] }: ApprovalRequest): readonly string[] {
  const more = rememberedText.length - MAX_REMEMBERED;
  if (rememberedText.length === 0) return ["calls that the policy counts as the same"];
  return [
    ...rememberedText.slice(0, MAX_REMEMBERED),
    ...(more > 0 ? [`and ${more} more programs of this command`] : []),
  ];
}

/** Escaped as shown to a user, on one line. */
export function oneLine(text: string): string {
  return showDeceptive(text).replaceAll("\n", "\\n");
}
