/** What is said about a shell command: about every program in it, and every file that it names. */
import type { CommandStart, PolicyLookup, Risk } from "../kernel/index.js";
import { judgeFile, lookupOf, lostEntries, splitNames } from "./command-files.js";
import {
  analyzeCommand,
  type CommandJudgement,
  type CommandProblem,
  type CommandSegment,
  changesPrograms,
} from "./commands/index.js";
import { namedPaths } from "./named-paths.js";
import { asMoved } from "./path-verdict.js";
import type { PolicyContext } from "./policy-context.js";
import {
  keysOfSegments,
  onlyCommand,
  type RememberedKeys,
  rememberedCommand,
  requestedHosts,
  runnerOf,
} from "./remembered-keys.js";
import { ruleVerdict, suggestedCommand } from "./rules/index.js";
import { judgeTouchedPath } from "./touched-path-verdict.js";
import { afterTaint, allow, ask, askUnlessAllowed, denyAlways, type Remembered, type Verdict } from "./verdict.js";

/** Of a problem, where it is not high. */
const RISK_OF: Readonly<Partial<Record<CommandProblem["kind"], Risk>>> = { unresolved: "medium", "split-names": "low" };

/**
 * Keeps git from reading the configuration of a bare repository that is found in a directory: such a directory can be written
 * file by file, without a `.git` in any path, and its configuration names programs that `git status` starts. Git takes this
 * setting only from outside of the repository. Another configuration that the host passes in these variables is replaced; the
 * command sets its own only after a question.
 */
export const GUARDS_GIT: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
};

/**
 * Why a text must not be written to a program that may be a shell: what a shell would be refused, the denials and questions of
 * rules among it. Other programs take text that only looks like a command, so that nothing else counts but what a known program
 * would do. What is too long to be analyzed counts in a pane, where a user types; to a job it is most often data, which could be
 * written in parts as well.
 */
export function judgeAsCommand(text: string, context: PolicyContext, to: "job" | "pane"): readonly Verdict[] {
  const { roots, home } = context;
  const [first] = roots;
  const { segments, problems } = analyzeCommand(text, {
    cwd: first?.path ?? "/",
    home,
    roots: roots.map(({ path }) => path),
  });
  const files = segments.flatMap((one) => (one.rule === undefined ? [] : one.files.filter(({ resolved }) => resolved)));
  return [
    ...problems
      .filter(({ kind }) => kind === "destroys-root" || (kind === "too-long" && to === "pane"))
      .map((one) => judgeProblem(one, context, {})),
    ...files.flatMap((file) => judgeFile(file, context)).filter(isRefusal),
    ...segments.flatMap((one) => rulesAbout(one, context)).filter(isRefusal),
    ...segments.filter(changesOwnRules).map(ownRules),
  ];
}

const isRefusal = ({ effect, byRule }: Verdict): boolean => effect === "deny" || (effect === "ask" && byRule === true);

/** What rules say about a program, its hosts and the paths that its words name. */
function rulesAbout(segment: CommandSegment, context: PolicyContext): readonly Verdict[] {
  const { text, network, hosts, reason } = segment;
  const { rules } = context;
  const named = rules.forWords(() => namedPaths(segment, context));
  const ofHost = network ? rules.forHosts(hosts) : undefined;
  const ofProgram = rules.forSegment(segment);
  return [
    ...(named === undefined ? [] : [ruleVerdict(named.rule, `\`${text}\` names "${named.path}"`)]),
    ...(ofHost === undefined ? [] : [ruleVerdict(ofHost, `\`${text}\` connects to ${hosts.join(", ")}`)]),
    ...(ofProgram === undefined ? [] : [ruleVerdict(ofProgram, `\`${text}\` ${reason}`)]),
  ];
}

function ownRules({ text }: CommandSegment): Verdict {
  return denyAlways("own-configuration", `\`${text}\` changes what Haft allows.`, "Ask the user to run it.");
}

/**
 * What has to be known of the target to judge the command by its real places; undefined if nothing is missing. A directory that
 * turns out to be elsewhere is looked at in the next round.
 */
export function commandLookup(start: CommandStart, context: PolicyContext): PolicyLookup | undefined {
  const { files } = context;
  const all = directoriesOf(start, context).flatMap((cwd) => [
    { paths: context.roots.some(({ path }) => path === cwd) ? [] : [cwd], searches: [] },
    lookupOf(analyzed(start, cwd, context), context),
  ]);
  const paths = all.flatMap((one) => one.paths).filter((path) => files?.real.has(path) !== true);
  const searches = all.flatMap((one) => one.searches).filter(({ id }) => files?.found.has(id) !== true);
  return paths.length + searches.length === 0 ? undefined : { paths, searches };
}

/** Every verdict on the command; a segment that only reads inside the workspace gives an "allow". */
export function judgeCommand(start: CommandStart, context: PolicyContext): readonly Verdict[] {
  const key = rememberedCommand(start, context);
  const variables = Object.keys(start.env ?? {})
    .filter(changesPrograms)
    .map((name) => ask("command-environment", `It sets \`${name}\`, which changes what programs do.`, "high", key));
  return [...variables, ...directoriesOf(start, context).flatMap((cwd) => judgeIn(start, cwd, context, key))];
}

/** The directory as it is claimed and, if that is a symlink, the real one: paths with `..` mean either. */
function directoriesOf({ cwd }: CommandStart, { files }: PolicyContext): readonly string[] {
  const real = files?.real.get(cwd) ?? cwd;
  return real === cwd ? [cwd] : [cwd, real];
}

function judgeIn(start: CommandStart, cwd: string, context: PolicyContext, key: Remembered): readonly Verdict[] {
  const { problems, segments } = analyzed(start, cwd, context);
  const keysOf = problems.length > 0 ? () => onlyCommand(key) : keysOfSegments(start, context, key, segments);
  return [
    ...problems.map((problem) => judgeProblem(problem, context, key)),
    ...segments.flatMap((one) => judgeSegment(one, context, () => keysOf(one))),
    judgeTouchedPath({ path: cwd, access: ["read"], scope: "self", isWhole: true }, context),
  ];
}

function judgeProblem(problem: CommandProblem, { files }: PolicyContext, key: Remembered): Verdict {
  const { kind, text, detail } = problem;
  const split = splitNames(problem, files);
  if (split !== undefined) {
    if (split === "none") return allow("command-low", `\`${text}\` gets no name that would be taken for several.`);
    return ask("command-split-names", `\`${text}\`: ${detail}. One is ${JSON.stringify(split)}.`, "low", key);
  }
  if (kind === "destroys-root")
    return denyAlways(
      "destroys-root",
      `\`${text}\`: ${detail}${lostEntries(problem, files)}.`,
      "Name the files or directories to delete.",
    );
  const asked = ask(`command-${kind}`, `\`${text}\`: ${detail}.`, RISK_OF[kind] ?? "high", key);
  // A shorter command might be denied, by a rule too.
  return kind === "too-long" ? { ...asked, atEveryLevel: true, next: SHORTEN } : asked;
}

const SHORTEN = "Send it in shorter parts; write long text to a file with `write`.";

/**
 * A claim is judged several times while its call is decided. The map is replaced after a long command: what is in an old one stays
 * in memory until the next full collection, and is copied by the small ones before.
 */
let judgements = new WeakMap<CommandStart, { readonly id: string; readonly judgement: CommandJudgement }[]>();
let charactersKnown = 0;
const MAX_CHARACTERS_KNOWN = 8 * 1024;

function analyzed(start: CommandStart, cwd: string, { roots, home }: PolicyContext): CommandJudgement {
  const options = { cwd, home, roots: roots.map(({ path }) => path) };
  const id = JSON.stringify(options);
  const known = judgements.get(start) ?? [];
  const found = known.find((one) => one.id === id);
  if (found !== undefined) return found.judgement;
  const judgement = analyzeCommand(start.command, options);
  charactersKnown += start.command.length;
  if (charactersKnown > MAX_CHARACTERS_KNOWN) {
    judgements = new WeakMap();
    charactersKnown = start.command.length;
  }
  judgements.set(start, [...known.slice(-3), { id, judgement }]);
  return judgement;
}

/** An allow of a rule settles what would be asked about the program, and deletions in the workspace; not the other files. */
function judgeSegment(segment: CommandSegment, context: PolicyContext, keys: () => RememberedKeys): readonly Verdict[] {
  const { text, risk, files, argv, network, hosts } = segment;
  if (changesOwnRules(segment)) return [ownRules(segment)];
  const named = context.rules.forWords(() => namedPaths(segment, context));
  const found = files.flatMap((file) => (file.resolved ? judgeFile(file, context) : NONE));
  const touched = segment.program === "mv" ? found.map((one) => asMoved(one)) : found;
  if (named !== undefined) touched.push(ruleVerdict(named.rule, `\`${text}\` names "${named.path}"`));
  const usual = judgeProgram(segment, context, keys);
  const hostRule = network ? context.rules.forHosts(hosts) : undefined;
  const ofHost = hostRule && ruleVerdict(hostRule, `\`${text}\` connects to ${hosts.join(", ")}`, keys().command);
  const narrowing = ofHost === undefined || ofHost.effect === "allow" ? NONE : [ofHost];
  const rule = context.rules.forSegment(segment);
  const ofRule = rule && ruleVerdict(rule, `\`${text}\` ${segment.reason}`, keys().command);
  if (ofRule?.effect === "allow") {
    const allowed: Verdict = { ...ofRule, risk, ...(risk === "low" ? {} : { changes: true }) };
    const asked = usual.filter((one) => one.effect === "ask" && one.settledByAllow !== true);
    return [allowed, ...asked, ...narrowing, ...touched.map((one) => (one.settledByAllow === true ? allowed : one))];
  }
  const program =
    ofHost?.effect === "allow" && segment.rule !== undefined
      ? usual.map((one): Verdict => (one.settledByHost !== undefined ? { ...ofHost, changes: true } : one))
      : [...usual, ...narrowing];
  if (ofRule !== undefined) return [...program, ofRule, ...touched];
  const all = [...program, ...touched];
  if (!all.some((one) => one.settledByAllow === true)) return all;
  const suggest = runnerOf(segment) ?? (argv === undefined ? undefined : suggestedCommand(argv));
  const [host] = requestedHosts(segment);
  return all.map((one) => {
    const isHost = one.settledByHost !== undefined && hosts.length === 1 && host !== undefined;
    const rule = one.settledByAllow === true ? (isHost ? `host:${host}` : suggest) : undefined;
    return rule === undefined ? one : { ...one, suggest: rule };
  });
}

const NONE: readonly Verdict[] = [];

function judgeProgram(
  segment: CommandSegment,
  { isTainted, sandboxed }: PolicyContext,
  keys: () => RememberedKeys,
): readonly Verdict[] {
  const { text, risk, reason, network, hosts, runsWorkspaceCode } = segment;
  if (risk === "low" && !network && !runsWorkspaceCode) return [allow("command-low", `\`${text}\` ${reason}.`)];
  const verdicts: Verdict[] = [];
  if (runsWorkspaceCode && sandboxed === true)
    verdicts.push({
      ...allow("workspace-code", `\`${text}\` runs code of the workspace, in a sandbox.`, "medium"),
      changes: true,
    });
  else if (runsWorkspaceCode)
    verdicts.push(askUnlessAllowed("workspace-code", `\`${text}\` runs code of the workspace.`, "medium", keys().code));
  if (network) {
    const whom = hosts.includes("*") || hosts.length === 0 ? "" : ` of ${hosts.join(", ")}`;
    const asked = askUnlessAllowed(
      "command-network",
      `\`${text}\` uses the network${whom}.`,
      "medium",
      isTainted ? keys().command : keys().network,
    );
    verdicts.push(isTainted ? afterTaint(asked) : { ...asked, settledByHost: true });
  }
  // What the two rules above say already is not said twice.
  const isSaid = (runsWorkspaceCode || network) && risk !== "high";
  if (risk === "low") verdicts.push(allow("command-low", `\`${text}\` ${reason}.`));
  else if (!isSaid) verdicts.push(askUnlessAllowed(`command-${risk}`, `\`${text}\` ${reason}.`, risk, keys().program));
  return verdicts;
}

/** `haft policy allow …` and `haft approvals grant …`, however they are started: what a model may do is not its own to extend. */
function changesOwnRules({ program, args }: CommandSegment): boolean {
  if (!isHaft(program) && !args.some(isHaft)) return false;
  const words = [program, ...args];
  const at = words.findIndex(isHaft);
  return /\b(policy (allow|ask|deny|remove|trust)|approvals (grant|deny))\b/.test(words.slice(at + 1).join(" "));
}

const HAFT = /(^|\/)(haft(@[^/]*)?|surfaces\/cli\/main\.js)$/;
const isHaft = (word: string): boolean => HAFT.test(word);
