/** The policy that decides by what a call would do: read, change, delete, run, reach out. */
import {
  type Autonomy,
  type Claim,
  type Decision,
  type Grant,
  grantFor,
  HaftError,
  type Policy,
  type PolicyCall,
} from "../kernel/index.js";
import { normalizePath } from "../text/index.js";
import { commandLookup, GUARDS_GIT, judgeAsCommand, judgeCommand, type PolicyPlace } from "./command-verdict.js";
import { judgeNetwork } from "./network-verdict.js";
import { judgePath, type PolicyRoot, SENSITIVE_NAMES } from "./path-verdict.js";
import { allow, ask, deny, strictest, type Verdict } from "./verdict.js";

export interface AutonomyPolicyOptions {
  /** Directories beside the workspace that calls may use. */
  readonly roots?: readonly PolicyRoot[];
}

/**
 * Decides by what a call claims, at the level of the call. Files outside the workspace and the `roots` are out of reach; a
 * command is judged by the programs that it starts and the files that they name. It guards against mistakes: what a program
 * does that was allowed is not confined, so that the boundary is the backend.
 *
 * @throws `CONFIG_INVALID` when a root is not absolute.
 */
export function autonomyPolicy(options: AutonomyPolicyOptions = {}): Policy {
  const extra = (options.roots ?? []).map(checkedRoot);
  return Object.freeze({
    name: "autonomy",
    decide(claims, call) {
      const place = placeOf(call, extra);
      const { autonomy } = call;
      const verdicts = claims.flatMap((claim) => judge(claim, place)).map((one) => atLevel(one, autonomy));
      return decisionOf(verdicts, claims, call, autonomy === "full" ? [] : SENSITIVE_NAMES);
    },
    lookup(claims, call) {
      if (call.autonomy === "full") return undefined;
      const place = placeOf(call, extra);
      const lookups = claims.flatMap((claim) => (claim.kind === "command" ? (commandLookup(claim, place) ?? []) : []));
      if (lookups.length === 0) return undefined;
      return { paths: lookups.flatMap(({ paths }) => paths), searches: lookups.flatMap(({ searches }) => searches) };
    },
  } satisfies Policy);
}

function placeOf({ workspace, home, files, taint }: PolicyCall, extra: readonly Required<PolicyRoot>[]): PolicyPlace {
  const roots = [{ path: normalizePath(workspace), access: "write" as const }, ...extra];
  return { roots, home, files, isTainted: taint.length > 0 };
}

function judge(claim: Claim, place: PolicyPlace): readonly Verdict[] {
  switch (claim.kind) {
    case "file":
      return [judgePath(claim, place.roots)];
    case "command":
      return judgeCommand(claim, place);
    case "job":
      return [allow("own-job", "A session's own background commands may be read and stopped.")];
    case "input":
      return [judgeInput(claim), ...judgeAsCommand(claim.text, place)];
    case "state":
      return [allow("own-state", "A session's own documents may be used.")];
    case "network":
      return [judgeNetwork(claim, place.isTainted)];
    case "network-open":
      return [ask("network", `It uses the network: ${claim.purpose}.`, "high")];
    case "server":
      return [askForTool(`the server "${claim.server}"`, claim.tool)];
    case "external":
      return [askForTool(`"${claim.source}"`, claim.tool)];
    case "delegate":
      return [ask("delegate", `It starts the agent "${claim.agent}".`, "medium")];
    case "secret":
      return [ask("secret", `It uses the secret "${claim.name}" for ${claim.hosts.join(", ")}.`, "high")];
    default:
      return [deny("unknown-claim", `No rule is known for claims of the kind "${String((claim as Claim).kind)}".`)];
  }
}

/** What reads it may be a shell or an interpreter, so that the text may be a command. */
function judgeInput({ to, id, text }: Extract<Claim, { kind: "input" }>): Verdict {
  if (text === "") return allow("end-of-input", `It closes the stdin of "${id}".`);
  return ask("input", `It writes to the ${to === "job" ? "background command" : "terminal"} "${id}".`, "medium");
}

function askForTool(owner: string, tool: string): Verdict {
  const reason = `The tool "${tool}" of ${owner} runs outside of Haft, which does not know what it touches.`;
  return ask("foreign-tool", reason, "medium", `tool ${JSON.stringify([owner, tool])}`);
}

/** Reasons of one question that are listed. */
const MAX_REASONS = 4;

const ALWAYS_DENIED: ReadonlySet<string> = new Set(["destroys-root", "own-configuration", "unknown-claim"]);

/** The verdict of "supervised" at another level. */
function atLevel(verdict: Verdict, autonomy: Autonomy): Verdict {
  const { effect, rule, reason } = verdict;
  if (autonomy === "full") {
    const isLifted = effect !== "allow" && !ALWAYS_DENIED.has(rule);
    return isLifted ? allow(rule, reason, verdict.risk) : verdict;
  }
  // Anything but a known level counts as the strictest.
  if (autonomy !== "supervised" && (effect === "ask" || verdict.changes === true))
    return deny("readonly", `${reason} The session is read-only.`, "Report what you would change instead.");
  return verdict;
}

function decisionOf(
  verdicts: readonly Verdict[],
  claims: readonly Claim[],
  call: PolicyCall,
  exceptNames: readonly string[],
): Decision {
  const { effect, rule, risk, reason, next } = strictest(verdicts) ?? allow("nothing-claimed", "It touches nothing.");
  const stated = { rule, risk, reason, ...(next === undefined ? {} : { next }) };
  if (effect === "deny") return { effect, ...stated };
  const grant = grantFor(call.callId, claims, { exceptNames });
  if (effect === "allow") return { effect, ...stated, grant: exceptNames.length === 0 ? grant : guardingGit(grant) };
  const asked = verdicts.filter((one) => one.effect === "ask");
  const keys = asked.flatMap(({ remember }) => remember ?? []);
  const reasons = [...new Set([reason, ...asked.map((one) => one.reason)])];
  const more = reasons.length - MAX_REASONS;
  const all = [...reasons.slice(0, MAX_REASONS), ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
  // An approval that is remembered stands for all that was asked about.
  const remember = keys.length === asked.length ? { remember: [...new Set(keys)] } : {};
  return { effect, ...stated, reason: all, next: "If it is needed, ask the user to do it.", grant, ...remember };
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
