/**
 * The policy that decides by what a call would do: read, change, delete, run, reach out. The way of a command:
 * 1. The claim (`judge` here) goes to command-verdict.ts. Before that, `lookup` names the paths that the kernel looks up.
 * 2. commands/script-walk.ts parses the text; commands/judge-words.ts makes a segment of each program that it starts.
 * 3. commands/programs/ has a table for each known program, which commands/apply-spec.ts applies: risk, files, hosts.
 * 4. command-files.ts finds the real paths of the files; touched-path-verdict.ts and path-verdict.ts judge each of them.
 * 5. rules/rule-book.ts finds the rules of the user about the segment, its files and its hosts.
 * 6. `atLevel` here applies the level of autonomy to each verdict, `strictest` of verdict.ts takes the strictest, and
 *    `decisionOf` here makes the decision, with what an answer is remembered under (remembered-keys.ts).
 */
import {
  type Autonomy,
  type Claim,
  type CommandStart,
  type Decision,
  type Grant,
  grantFor,
  HaftError,
  type Policy,
  type PolicyCall,
} from "../kernel/index.js";
import { normalizePath } from "../text/index.js";
import { commandLookup, GUARDS_GIT, judgeAsCommand, judgeCommand } from "./command-verdict.js";
import { commandToAllow } from "./how-to-allow.js";
import { judgeNetwork, judgeSecret } from "./network-verdict.js";
import { asMoved, type PolicyRoot, SENSITIVE_NAMES } from "./path-verdict.js";
import type { PolicyContext } from "./policy-context.js";
import { rememberedCommand } from "./remembered-keys.js";
import { type CompiledRule, compileRules, type PolicyRule, RuleBook, ruleVerdict } from "./rules/index.js";
import { judgeTouchedPath } from "./touched-path-verdict.js";
import { readTyped } from "./typed-text.js";
import { ASK_THE_USER, allow, ask, askUnlessAllowed, deny, denyAlways, strictest, type Verdict } from "./verdict.js";
import { type WebPolicy, webGuard } from "./web-guard.js";

export interface AutonomyPolicyOptions {
  /** Directories beside the workspace that calls may use. */
  readonly roots?: readonly PolicyRoot[];
  /** What is allowed, asked about or denied besides: rules, or their texts such as "allow npm test". */
  readonly rules?: readonly (PolicyRule | string)[];
  /** Names of files that hold secrets, beside the usual ones; `*` stands for any characters. */
  readonly sensitive?: readonly string[];
  /** What is decided about requests beside `rules`. */
  readonly web?: WebPolicy;
  /** How a user allows what a rule would allow, as a sentence. Default: `haft policy allow`. */
  howToAllow?(rules: readonly string[]): string;
}

/**
 * Decides by what a call claims, at the level of the call. Files outside the workspace and the `roots` are out of reach; a
 * command is judged by the programs that it starts and the files that they name. It guards against mistakes: what a program
 * does that was allowed is not confined, so that the boundary is the backend.
 *
 * @throws `CONFIG_INVALID` when a root is not absolute or a rule is not one.
 */
export function autonomyPolicy(options: AutonomyPolicyOptions = {}): Policy {
  const { howToAllow = commandToAllow } = options;
  const contextOf = contextsOf(options);
  return Object.freeze({
    name: "autonomy",
    decide(claims, call) {
      const secrets = claims.flatMap((claim) => (claim.kind === "secret" ? claim.name : []));
      const context = { ...contextOf(call), secrets };
      const toolRule = context.rules.forTool(call.tool);
      const verdicts = claims.flatMap((claim) => judge(claim, context)).map((one) => settledBy(toolRule, one));
      if (toolRule !== undefined && toolRule.effect !== "allow")
        verdicts.unshift(ruleVerdict(toolRule, `It calls \`${call.tool}\``));
      return decisionOf(
        verdicts.map((one) => atLevel(one, call)),
        claims,
        call,
        { ...exceptionsOf(claims, context, call.autonomy), howToAllow },
      );
    },
    lookup(claims, call) {
      if (!claims.some(({ kind }) => kind === "command")) return undefined;
      const context = contextOf(call);
      if (call.commandLanguage !== undefined) return undefined;
      if (call.autonomy === "full" && !context.rules.hasPaths) return undefined;
      const lookups = claims.flatMap((claim) =>
        claim.kind === "command" ? (commandLookup(claim, context) ?? []) : [],
      );
      if (lookups.length === 0) return undefined;
      return { paths: lookups.flatMap(({ paths }) => paths), searches: lookups.flatMap(({ searches }) => searches) };
    },
  } satisfies Policy);
}

/** By what a call is judged. The rules are made ready once for the workspace of the latest call. */
function contextsOf({
  roots = [],
  rules = [],
  sensitive = [],
  web,
}: AutonomyPolicyOptions): (call: PolicyCall) => PolicyContext {
  const extra = roots.map(checkedRoot);
  const compiled = compileRules(rules);
  const guard = webGuard(web);
  const names = sensitive.length === 0 ? SENSITIVE_NAMES : [...SENSITIVE_NAMES, ...sensitive];
  let latest: { readonly workspace: string; readonly home: string; readonly book: RuleBook } | undefined;
  return ({ workspace, home, files, taint, sandboxed, privatePaths, commandLanguage, shownUrls }) => {
    if (latest?.workspace !== workspace || latest.home !== home)
      latest = { workspace, home, book: new RuleBook(compiled, { workspace, home }) };
    const own = { path: normalizePath(workspace), access: "write" as const };
    return {
      roots: [own, ...extra],
      home,
      files,
      isTainted: taint.length > 0,
      sandboxed,
      privatePaths,
      shownUrls,
      rules: latest.book,
      sensitive: names,
      web: guard,
      commandLanguage,
    };
  };
}

/** What the trees of a call leave out. */
function exceptionsOf(claims: readonly Claim[], { rules, sensitive }: PolicyContext, autonomy: Autonomy) {
  const { except, exceptNames } = rules.exceptions(claims.filter((claim) => claim.kind === "file"));
  // The same list each time, which is compiled once.
  const names = autonomy === "full" ? [] : sensitive;
  return { except, exceptNames: exceptNames.length === 0 ? names : [...names, ...exceptNames] };
}

/** An allow of the tool settles what the same rule for each command and host would. */
function settledBy(rule: CompiledRule | undefined, verdict: Verdict): Verdict {
  if (rule?.effect !== "allow" || verdict.settledByAllow !== true) return verdict;
  return { ...ruleVerdict(rule, verdict.reason.replace(/\.$/, "")), risk: verdict.risk, changes: true };
}

function judge(claim: Claim, context: PolicyContext): readonly Verdict[] {
  switch (claim.kind) {
    case "file": {
      const verdict = judgeTouchedPath({ ...claim, isWhole: false }, context);
      const said = claim.movedTo === undefined ? verdict : asMoved(verdict, claim.movedTo);
      return [{ ...said, ...impliedOf(claim) }];
    }
    case "command":
      return context.commandLanguage === undefined
        ? judgeCommand(claim, context)
        : [unreadCommand(claim, context.commandLanguage)];
    case "job":
      return [allow("own-job", "A session's own background commands may be read and stopped.")];
    case "pane":
      return [judgePane(claim)];
    case "input":
      return [judgeInput(claim, context), ...textsOf(claim).flatMap((text) => judgeAsCommand(text, context, claim.to))];
    case "state":
      return [judgeState(claim)];
    case "network":
      return [judgeNetwork(claim, context)];
    case "network-open":
      return [askUnlessAllowed("network", `It uses the network: ${claim.purpose}.`, "high")];
    case "server":
      return [askForTool(`the server "${claim.server}"`, claim.tool, `tool:${claim.server}__${claim.tool}`)];
    case "external":
      return [claim.approval === "each-call" ? askEachTime(claim) : askForTool(`"${claim.source}"`, claim.tool)];
    case "delegate":
      return [askUnlessAllowed("delegate", `It starts the agent "${claim.agent}".`, "medium")];
    case "secret":
      return [judgeSecret(claim, context.web)];
    default:
      return [
        denyAlways("unknown-claim", `No rule is known for claims of the kind "${String((claim as Claim).kind)}".`),
      ];
  }
}

/** Directories that are created for a file are judged, and not listed beside it. */
function impliedOf({ optional }: Extract<Claim, { kind: "file" }>): Pick<Verdict, "isImplied"> {
  return optional === "unless-denied" ? { isImplied: true } : {};
}

/** What outlives its session. The command of a new schedule is judged by its own claim. */
const LASTING: Readonly<Record<string, string>> = {
  memories: "Notes may be stored and deleted.",
  schedules: "Schedules may be added, changed and removed.",
};

function judgeState({ collection, access }: Extract<Claim, { kind: "state" }>): Verdict {
  const lasting = Object.hasOwn(LASTING, collection) ? LASTING[collection] : undefined;
  if (lasting === undefined || access !== "write") return allow("own-state", "A session's own documents may be used.");
  return { ...allow(collection, lasting), changes: true };
}

/** Only typing does harm: that is an input. A new pane starts a shell, and a closed one stops its programs, both of the session's own. */
function judgePane({ action }: Extract<Claim, { kind: "pane" }>): Verdict {
  const isRead = action === "list" || action === "read";
  if (isRead) return allow("pane", "Panes of the terminal may be read.");
  return { ...allow("pane", "A session may open panes, and close those that it opened."), changes: true };
}

/** What reads it may be a shell or an interpreter, so that the text may be a command. */
function judgeInput({ to, id, text }: InputClaim, { commandLanguage }: PolicyContext): Verdict {
  if (text === "") return allow("end-of-input", `It closes the stdin of "${id}".`);
  const asked = askUnlessAllowed(
    "input",
    to === "job" ? `It writes to the background command "${id}".` : `It types into the pane "${id}".`,
    "medium",
  );
  // No rule can be compared with it, as with a command in that language.
  return commandLanguage === undefined ? asked : { ...asked, atEveryLevel: true };
}

type InputClaim = Extract<Claim, { kind: "input" }>;

/** As it is and, for a pane, as a shell reads it: `<r>` may be a text or the key. */
function textsOf({ to, text }: InputClaim): readonly string[] {
  const typed = to === "pane" ? readTyped(text) : text;
  return typed === text ? [text] : [text, typed];
}

/** No rule can be compared with it either, so that it is asked about at every level. */
function unreadCommand(start: CommandStart, language: string): Verdict {
  const reason = `Commands of this target are in the language "${language}", which the policy cannot analyze.`;
  return { ...askUnlessAllowed("command-language", reason, "high", rememberedCommand(start, {})), atEveryLevel: true };
}

function askForTool(owner: string, tool: string, suggest?: string): Verdict {
  const reason = `The tool "${tool}" of ${owner} runs outside of Haft, which does not know what it touches.`;
  const remember = `tool ${JSON.stringify([owner, tool])}`;
  const verdict = askUnlessAllowed("foreign-tool", reason, "medium", {
    remember,
    rememberedText: `every call of "${tool}" of ${owner}`,
  });
  return suggest === undefined || /[\s*]/.test(suggest) ? verdict : { ...verdict, suggest };
}

/** As a rule of the user: no level of autonomy loosens what the tool's author demands, and no approval from before settles it. */
function askEachTime({ source, tool }: Extract<Claim, { kind: "external" }>): Verdict {
  const reason = `The tool "${tool}" of "${source}" demands an approval of each such call.`;
  return { ...ask("tool-approval", reason, "medium"), byRule: true };
}

/** Reasons of one question that are listed. */
const MAX_REASONS = 4;

/** The verdict of "supervised" at another level. */
function atLevel(verdict: Verdict, { autonomy, target, isLevelOfTarget }: PolicyCall): Verdict {
  const { effect, rule, reason } = verdict;
  if (autonomy === "full") {
    const isLifted = effect !== "allow" && verdict.byRule !== true && verdict.atEveryLevel !== true;
    return isLifted ? allow(rule, reason, verdict.risk) : verdict;
  }
  // Anything but a known level counts as the strictest.
  if (autonomy === "supervised" || (effect !== "ask" && verdict.changes !== true)) return verdict;
  if (verdict.isRead === true) {
    const { suggest, next = suggest === undefined ? ASK_THE_USER : undefined } = verdict;
    const denied = deny(rule, `${reason} A read-only session refuses this without asking.`, next);
    return suggest === undefined ? denied : { ...denied, suggest };
  }
  const at = isLevelOfTarget ? `The target "${target}"` : "The session";
  return deny(
    "readonly",
    `${reason} ${at} is read-only, which no rule lifts.`,
    "Report what you would change instead.",
  );
}

function decisionOf(
  verdicts: readonly Verdict[],
  claims: readonly Claim[],
  call: PolicyCall,
  { howToAllow, ...exceptions }: DecisionOptions,
): Decision {
  const { effect, rule, risk, reason, next } = strictest(verdicts) ?? allow("nothing-claimed", "It touches nothing.");
  const suggestedRules = suggestionsOf(verdicts);
  const steps = [next, suggestedRules === undefined ? undefined : howToAllow(suggestedRules)];
  const step = steps.filter((one) => one !== undefined).join(" ");
  const suggested = suggestedRules === undefined ? {} : { suggestedRules };
  const stated = { rule, risk, reason, ...suggested, ...(step === "" ? {} : { next: step }) };
  if (effect === "deny") return { effect, ...stated };
  const grant = grantFor(call.callId, claims, exceptions);
  if (effect === "allow") return { effect, ...stated, grant: call.autonomy === "full" ? grant : guardingGit(grant) };
  const asked = verdicts.filter((one) => one.effect === "ask");
  const keys = asked.flatMap(({ remember }) => remember ?? []);
  // A problem of a program and the program itself may say the same.
  const said = new Map(
    [reason, ...asked.filter((one) => one.isImplied !== true).map((one) => one.reason)].map((one) => [
      one.replace(/^(`.*?`)(:| is(?= an? )) /s, "$1 "),
      one,
    ]),
  );
  const reasons = [...said.values()];
  const more = reasons.length - MAX_REASONS;
  const all = [...reasons.slice(0, MAX_REASONS), ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
  // An approval that is remembered stands for all that was asked about.
  const rememberedText = [...new Set(asked.flatMap((one) => one.rememberedText ?? []))];
  const remember = keys.length === asked.length ? { remember: [...new Set(keys)], rememberedText } : {};
  return { effect, next: ASK_THE_USER, ...stated, reason: all, grant, ...remember };
}

interface DecisionOptions {
  readonly except: readonly string[];
  readonly exceptNames: readonly string[];
  howToAllow(rules: readonly string[]): string;
}

/** Rules of one suggestion; more would be a script. */
const MAX_SUGGESTED = 4;

/** The few rules that would settle everything that is asked about or denied. */
function suggestionsOf(verdicts: readonly Verdict[]): readonly string[] | undefined {
  const open = verdicts.filter(({ effect }) => effect !== "allow");
  const rules = [...new Set(open.flatMap(({ suggest }) => suggest ?? []))];
  const isWhole = open.every(({ suggest }) => suggest !== undefined) && rules.length <= MAX_SUGGESTED;
  return isWhole && rules.length > 0 ? rules : undefined;
}

/** Only what runs unasked: a user who is asked sees the command, and gets it as it is. */
function guardingGit(grant: Grant): Grant {
  const commands = grant.commands.map((one) => (/\bgit\b/.test(one.command) ? { ...one, addedEnv: GUARDS_GIT } : one));
  return { ...grant, commands };
}

function checkedRoot({ path, access = "write" }: PolicyRoot): Required<PolicyRoot> {
  if (path.startsWith("/")) return { path: normalizePath(path), access };
  throw new HaftError("CONFIG_INVALID", `The root "${path}" is not absolute. Pass the absolute path of the directory.`);
}
