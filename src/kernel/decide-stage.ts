/** Collects the claims of a call, lets policy decide on them, and reserves rate. Approvals are in `approve-stage`. */

import { decisionProblem } from "./answer-problem.js";
import { DEFAULT_AUTONOMY, strictestLevel } from "./autonomy.js";
import { backendOf, type CallRun, claimContextBase, type Ending, ended, type Step, sourcePlace } from "./call-run.js";
import { type Claim, type Decision, EMPTY_GRANT, type Grant, isWithin, type Risk } from "./claims.js";
import type { ClaimContext } from "./context.js";
import { HaftError, ignoreRejection, messageOf } from "./errors.js";
import { withMissingPart } from "./fs.js";
import { NOTHING_DECIDED } from "./outcome.js";
import { parseClaims } from "./parse-claims.js";
import { lookUp, policyPathOf } from "./policy-lookup.js";
import type { ToolResult } from "./result.js";
import { fail } from "./result.js";
import type { PolicyCall } from "./services.js";
import { sessionView } from "./session-in-call.js";
import { validateToolResult } from "./validate-tool-result.js";
import { after } from "./with-timeout.js";

/** The view of a call for `claims`: nothing of it changes anything. */
function claimContext(run: CallRun): ClaimContext {
  let session: ClaimContext["session"] | undefined;
  const { clock } = run.context.host;
  return Object.freeze({
    ...claimContextBase(run),
    clock: Object.freeze({ now: () => clock.now() }),
    get session() {
      session ??= sessionView(run);
      return session;
    },
  });
}

export function stateClaims(run: CallRun): Step | PromiseLike<Step> {
  const { body } = run.tool;
  return body.claims === undefined
    ? undefined
    : after(body.claims(run.input, claimContext(run)), (stated) => takeClaims(run, stated));
}

function takeClaims(run: CallRun, stated: readonly Claim[] | ToolResult<never>): Step {
  if (!Array.isArray(stated)) {
    const refusal = validateToolResult(stated, run.tool.name);
    if (!refusal.isError || refusal.code === "CALL_MALFORMED")
      return malformed(run, "`claims` must return an array of claims or a failure");
    return ended(refusal.code === "CALL_INVALID" ? "invalid" : "failed", refusal);
  }
  const { source } = run;
  const place = { cwd: run.cwd, home: backendOf(run).home };
  const claims = parseClaims(stated, place, source && sourcePlace(source));
  if ("why" in claims) return malformed(run, claims.why);
  const isOfSource = (claim: Claim) => claim.kind === "file" && claim.target !== undefined;
  run.stated = source === undefined ? claims : claims.filter((claim) => !isOfSource(claim));
  if (source !== undefined) source.stated = claims.filter(isOfSource).map(withoutTarget);
  return undefined;
}

/** Each target's claims are judged as those of a call on it alone. */
function withoutTarget(claim: Claim): Claim {
  if (claim.kind !== "file") return claim;
  const { target: _, ...own } = claim;
  return Object.freeze(own);
}

function malformed(run: CallRun, why: string): Ending {
  const message = `Did not run \`${run.tool.name}\`: ${why}. The author of the tool has to fix \`claims\`.`;
  return ended("failed", fail("CALL_MALFORMED", message, { details: { why } }));
}

/**
 * Asks policy. A path is judged as it is written; where the verdict is "ask", or the session has met a symlink there, all
 * paths, directories of commands among them, are resolved in one step and judged again, so that a user approves the real
 * places. What the call does on its source target is judged as a call on that one; the stricter decision counts.
 */
export function decide(run: CallRun): Step | PromiseLike<Step> {
  const { source } = run;
  if (source === undefined) return decideOnTarget(run);
  run.claims = run.stated;
  return after(decideOnTarget(source), (denied) => {
    run.decision = source.decision;
    return (
      denied ??
      after(decideOnTarget(run), (refused) => {
        if (refused !== undefined) return refused;
        run.decision = joined(run.decision!, source.decision!);
        return undefined;
      })
    );
  });
}

/** An approval of a call that touches two targets is for this call only. */
function joined(own: Decision, other: Decision): Decision {
  if (own.effect !== "ask" && other.effect !== "ask") return own;
  const asked = [own, other].filter((one) => one.effect === "ask");
  const [first = own] = asked;
  const { remember: _, rememberedText: __, suggestedRules: ___, ...decision } = first as Asked;
  const rules = asked.map(({ suggestedRules }) => suggestedRules);
  return {
    ...decision,
    grant: (own as Asked).grant,
    reason: asked.map(({ reason }) => reason).join(" "),
    risk: RISKS.find((risk) => asked.some((one) => one.risk === risk)) ?? decision.risk,
    ...(rules.includes(undefined) ? {} : { suggestedRules: [...new Set(rules.flatMap((some) => some ?? []))] }),
  };
}

type Asked = Extract<Decision, { effect: "ask" }>;

/** The highest first. */
const RISKS: readonly Risk[] = ["high", "medium", "low"];

function decideOnTarget(run: CallRun): Step | PromiseLike<Step> {
  run.claims = run.stated;
  run.files = undefined;
  if (run.tool.body.claims === undefined) {
    run.decision = NOTHING_DECIDED;
    run.grant = EMPTY_GRANT;
    return undefined;
  }
  const decision = evaluateClaims(run);
  return run.context.host.policy.lookup === undefined
    ? settleOnPlaces(run, decision)
    : after(lookUp(run, policyCallOf(run)), (isChanged) =>
        settleOnPlaces(run, isChanged ? evaluateClaims(run) : decision),
      );
}

function settleOnPlaces(run: CallRun, decision: Decision): Step | PromiseLike<Step> {
  const placed = run.claims.filter((claim) => claim.kind === "file" || claim.kind === "command");
  const met = placed.some((claim) => run.context.session.symlinks.has(symlinkKey(run, pathOf(claim))));
  if (placed.length > 0 && (decision.effect === "ask" || (met && decision.effect === "allow")))
    return decideOnRealPlaces(run, placed, decision).then((real) => takeDecision(run, real));
  return takeDecision(run, decision);
}

function takeDecision(run: CallRun, decision: Decision): Step {
  run.decision = decision;
  if (decision.effect === "deny") {
    // Report a real path only if the policy refuses it by itself.
    const isRefused = (claim: Claim) => !run.stated.includes(claim) && evaluate(run, [claim]).effect === "deny";
    const real = run.claims.find((claim): claim is FileClaim => claim.kind === "file" && isRefused(claim));
    return ended("denied", refusal(decision, run.tool.name, real === undefined ? {} : { real: real.path }));
  }
  run.grant = decision.grant;
  return undefined;
}

/** Judges all claims together; where they do not pass, without the optional ones that the call can do without. */
function evaluateClaims(run: CallRun): Decision {
  const isOptional = (claim: Claim) => claim.kind === "file" && claim.optional !== undefined;
  const decision = evaluate(run, run.claims);
  if (decision.effect === "allow" || !run.claims.some(isOptional)) return decision;
  run.claims = run.claims.filter((claim) => {
    if (claim.kind !== "file" || claim.optional === undefined) return true;
    const { effect } = evaluate(run, [claim]);
    return claim.optional === "unless-denied" ? effect !== "deny" : effect === "allow";
  });
  return evaluate(run, run.claims);
}

/** A decision about the source target names it. */
function evaluate(run: CallRun, claims: readonly Claim[]): Decision {
  const decision = guardedDecision(run, claims);
  return run.isSource ? { ...decision, reason: `On "${run.target.name}": ${decision.reason}` } : decision;
}

/** Asks policy, and keeps what the host protects out of its grant. */
function guardedDecision(run: CallRun, claims: readonly Claim[]): Decision {
  const decision = askPolicy(run, claims);
  const guarded = run.context.host.protectedPaths;
  if (decision.effect === "deny" || guarded === undefined || guarded.machine !== backendOf(run).machine)
    return decision;
  // Claims may name a path by the workspace's own symlink.
  const others = guarded.paths.map((path) => policyPathOf(run, path)).filter((path) => !guarded.paths.includes(path));
  const paths = others.length === 0 ? guarded.paths : [...guarded.paths, ...others];
  const isGuarded = (path: string) => paths.some((directory) => isWithin(directory, path));
  const touched = claims.find((claim): claim is FileClaim => claim.kind === "file" && isGuarded(claim.path));
  if (touched !== undefined) {
    const { rule, next } = guarded;
    const reason = `"${touched.path}" ${guarded.reason}.`;
    return { effect: "deny", rule, risk: "high", reason, ...(next === undefined ? {} : { next }) };
  }
  const { grant } = decision;
  return { ...decision, grant: { ...grant, except: [...grant.except, ...paths] } };
}

/** An error, or anything but a decision, denies the call. */
function askPolicy(run: CallRun, claims: readonly Claim[]): Decision {
  let decision: unknown;
  try {
    const { files } = run;
    const call: PolicyCall = { ...policyCallOf(run), shownUrls: run.context.session.trust.shownUrls };
    decision = run.context.host.policy.decide(claims, files === undefined ? call : { ...call, files });
  } catch (thrown) {
    const reason = `The policy threw an error (${messageOf(thrown)}), and nothing runs without a decision. Fix its \`decide\`.`;
    return { effect: "deny", rule: "policy-threw", risk: "high", reason };
  }
  const problem = decisionProblem(decision);
  if (problem === undefined) return decision as Decision;
  ignoreRejection(decision);
  const reason = `The policy did not return a decision, and nothing runs without one: ${problem}. Fix its \`decide\`.`;
  return { effect: "deny", rule: "no-decision", risk: "high", reason };
}

type FileClaim = Extract<Claim, { kind: "file" }>;

type CommandClaim = Extract<Claim, { kind: "command" }>;
type NetworkClaim = Extract<Claim, { kind: "network" }>;
type PlacedClaim = FileClaim | CommandClaim;

function pathOf(claim: PlacedClaim): string {
  return claim.kind === "file" ? claim.path : claim.cwd;
}

async function decideOnRealPlaces(
  run: CallRun,
  placed: readonly PlacedClaim[],
  lexical: Extract<Decision, { grant: Grant }>,
): Promise<Decision> {
  const places = await backendOf(run).root.fs.resolve(
    placed.map(pathOf),
    run.cancel === undefined ? {} : { signal: run.cancel },
  );
  const resolved: { readonly asked: string; readonly real: string; readonly evaluated: Claim }[] = [];
  const directories = new Map<string, string>();
  const others: Claim[] = [];
  places.forEach((place, index) => {
    const claim = placed[index]!;
    const path = withMissingPart(place);
    const shown = policyPathOf(run, path);
    const evaluated =
      shown === pathOf(claim) ? claim : claim.kind === "command" ? { ...claim, cwd: shown } : { ...claim, path: shown };
    if (evaluated !== claim) others.push(evaluated);
    if (claim.kind === "command") directories.set(claim.cwd, path);
    else if (path !== claim.path) resolved.push({ asked: claim.path, real: path, evaluated });
  });
  run.claims = [...run.claims, ...others];
  const decision = others.length === 0 ? lexical : evaluateClaims(run);
  if (decision.effect === "deny") return decision;
  const { grant } = decision;
  // From here on a command starts in the directory that was judged, and nowhere else without another question.
  const commands = grant.commands.map((one) => {
    const real = directories.get(one.cwd);
    return real === undefined ? one : { ...one, real };
  });
  const allowedTargets = resolved
    .filter(({ evaluated }) => run.claims.includes(evaluated))
    .map(({ asked, real }) => ({ asked, real }));
  return { ...decision, grant: { ...grant, symlinkTargets: [...grant.symlinkTargets, ...allowedTargets], commands } };
}

export function reserveRate(run: CallRun): Ending | undefined {
  const { rate } = run.context.host;
  if (rate === undefined || run.tool.effect !== "write") return undefined;
  const reserved = rate.reserve({ tool: run.tool.name, sessionId: run.context.session.id, effect: run.tool.effect });
  if (typeof reserved?.allowed !== "boolean") {
    ignoreRejection(reserved);
    const why = "the rate limiter did not return a reservation. Fix its `reserve`.";
    return ended("denied", fail("POLICY_RATE_LIMITED", `Did not run \`${run.tool.name}\`: ${why}`));
  }
  if (reserved.allowed) {
    run.settleRate = reserved.settle;
    return undefined;
  }
  return ended("denied", fail("POLICY_RATE_LIMITED", `Did not run \`${run.tool.name}\`: ${reserved.reason}`));
}

/** A refusal in the words of a decision. */
function refusal(decision: Decision, toolName: string, more: Readonly<Record<string, unknown>> = {}): ToolResult {
  const next = decision.next === undefined ? "" : ` ${decision.next}`;
  return fail("POLICY_DENIED", `Did not run \`${toolName}\`: ${decision.reason}${next}`, {
    details: { rule: decision.rule, risk: decision.risk, ...more },
  });
}

export function policyCallOf(run: CallRun): PolicyCall {
  const { name, spec, autonomy } = run.target;
  const { host, session } = run.context;
  const { home, flags, commandLanguage, privatePaths } = backendOf(run);
  const { trust } = session;
  const ofSession = trust.autonomy ?? host.autonomy ?? DEFAULT_AUTONOMY;
  const level = strictestLevel(trust.autonomy, autonomy) ?? ofSession;
  return {
    callId: run.call.id,
    tool: run.tool.name,
    effect: run.tool.effect,
    target: name,
    ...(spec === undefined || spec === name ? {} : { spec }),
    sessionId: session.id,
    cwd: run.cwd,
    workspace: run.workspace,
    home,
    autonomy: level,
    ...(level === autonomy && level !== ofSession ? { isLevelOfTarget: true as const } : {}),
    sandboxed: flags.sandbox === true,
    ...(privatePaths === undefined ? {} : { privatePaths }),
    ...(commandLanguage === undefined ? {} : { commandLanguage }),
    taint: trust.taint,
  };
}

/** How a session remembers that a path of a machine led elsewhere. */
function symlinkKey(run: CallRun, path: string): string {
  return `${backendOf(run).machine}:${path}`;
}

/** What a port asks when the real place differs: policy, at that place, for that access. */
export function authorizeRealPath(run: CallRun, asked: string, real: Omit<FileClaim, "kind">): Decision {
  if (run.tool.body.claims === undefined)
    throw new HaftError(
      "CALL_UNCLAIMED",
      `Did not touch "${asked}": the tool claims nothing. The author of the tool has to claim it.`,
    );
  run.context.session.symlinks.add(symlinkKey(run, asked));
  const decision = evaluate(run, [{ kind: "file", ...real, path: policyPathOf(run, real.path) }]);
  if (decision.effect === "allow" && !run.realPlaces.some(({ path }) => path === real.path)) run.realPlaces.push(real);
  return decision;
}

/** What the HTTP port asks about a redirect, which may take headers along, and with `address` about each connection. */
export function authorizeRequest(run: CallRun, request: Omit<NetworkClaim, "kind">): Decision {
  const headers = run.claims.flatMap((claim) => (claim.kind === "network" ? (claim.headers ?? []) : []));
  const isBare = request.address !== undefined || headers.length === 0;
  return evaluate(run, [{ kind: "network", ...request, ...(isBare ? {} : { headers }) }]);
}

/** What a port asks when a command's directory is elsewhere: policy, for each claim of that command at the real place. */
export function authorizeDirectory(run: CallRun, command: string, cwd: string, real: string): Decision {
  run.context.session.symlinks.add(symlinkKey(run, cwd));
  const isIt = (claim: Claim): claim is CommandClaim =>
    claim.kind === "command" && claim.command === command && claim.cwd === cwd;
  const claims = run.claims.filter(isIt);
  const stated = claims.length > 0 ? claims : [{ kind: "command" as const, command, cwd }];
  return evaluate(
    run,
    stated.map((claim) => ({ ...claim, cwd: policyPathOf(run, real) })),
  );
}
