/** The policy of ZeroClaw's seed: lists of commands and paths, above Haft's own policy. Loaded lazily. */
import type { Autonomy, Claim, Decision, Policy } from "../../kernel/index.js";
import { normalizePath } from "../../text/index.js";
import { autonomyPolicy } from "../autonomy-policy.js";
import { analyzeCommand } from "../commands/index.js";
import { rememberedCommand } from "../remembered-keys.js";
import { ASK_THE_USER, allow, ask, deny, strictest, type Verdict } from "../verdict.js";
import { DEFAULT_ALLOWED_COMMANDS, isListed } from "./allowed-commands.js";
import { domainMatcher } from "./allowed-domains.js";
import { riskOf } from "./command-risk.js";
import { DEFAULT_FORBIDDEN_PATHS, forbiddenPathIn, isForbidden, type PathLimits } from "./forbidden-paths.js";
import type { ZeroclawPolicyOptions } from "./options.js";

type CommandClaim = Extract<Claim, { kind: "command" }>;

/** What holds for one call. */
interface Rules extends PathLimits {
  readonly autonomy: Autonomy;
  readonly allowed: readonly string[];
  readonly isHighBlocked: boolean;
  readonly isMediumAsked: boolean;
  /** Of a call that can change something. Absent: a read, which may reach any. */
  readonly domains: { readonly isNone: boolean; isAllowedHost(hostname: string): boolean } | undefined;
  /** What Haft's own policy says about a command alone. */
  base(claim: CommandClaim): Decision;
}

/**
 * Validates a command in the order of the seed: list of commands, forbidden paths, risk, autonomy. The reasons of what it denies
 * are the seed's words, which the dialect passes on. Commands are read by Haft's parser, and what Haft's own policy asks about
 * is of medium risk at least.
 */
export function validatingPolicy(options: ZeroclawPolicyOptions = {}): Policy {
  const { roots = [], allowedDomains = [] } = options;
  const isAllowedHost = domainMatcher(allowedDomains);
  const own = autonomyPolicy({ roots });
  const { base = own } = options;
  return Object.freeze({
    name: `zeroclaw ${base.name}`,
    decide(claims, call) {
      const { autonomy } = call;
      // Anything but a known level counts as the strictest.
      if (autonomy !== "supervised" && autonomy !== "full" && call.effect === "write")
        return denied("readonly", `Read-only mode: cannot perform '${call.tool}'`);
      const rules: Rules = {
        autonomy,
        roots: [call.workspace, ...roots.map(({ path }) => path)].map(normalizePath),
        home: call.home,
        files: call.files,
        forbidden: options.forbiddenPaths ?? DEFAULT_FORBIDDEN_PATHS,
        isWorkspaceOnly: options.workspaceOnly ?? autonomy !== "full",
        allowed: options.allowedCommands ?? DEFAULT_ALLOWED_COMMANDS,
        isHighBlocked: options.blockHighRiskCommands ?? true,
        isMediumAsked: options.requireApprovalForMediumRisk ?? true,
        domains: call.effect === "write" ? { isNone: allowedDomains.length === 0, isAllowedHost } : undefined,
        base: (claim) => base.decide([claim], call),
      };
      return stricterOf(
        claims.flatMap((claim) => judge(claim, rules)),
        base.decide(claims, call),
      );
    },
    /** What Haft's own policy looks up, at every level: forbidden directories are forbidden at "full" too. */
    lookup(claims, call) {
      const lookups = [own.lookup?.(claims, { ...call, autonomy: "supervised" })];
      if (base !== own) lookups.push(base.lookup?.(claims, call));
      const made = lookups.filter((one) => one !== undefined);
      if (made.length === 0) return undefined;
      return { paths: made.flatMap(({ paths }) => paths), searches: made.flatMap(({ searches }) => searches) };
    },
  } satisfies Policy);
}

function judge(claim: Claim, rules: Rules): readonly Verdict[] {
  if (claim.kind === "command") return [validate(claim, rules)];
  if (claim.kind === "network") return judgeDomain(claim.url, rules);
  if (claim.kind !== "file" || !isForbidden(claim.path, rules)) return [];
  return [deny("zeroclaw-path", `Path not allowed: ${claim.path}`)];
}

function judgeDomain(url: string, { domains }: Rules): readonly Verdict[] {
  if (domains === undefined) return [];
  if (domains.isNone) return [deny("zeroclaw-domain", "HTTP requests are disabled: no domain is allowed")];
  const host = URL.canParse(url) ? new URL(url).hostname : url;
  return domains.isAllowedHost(host) ? [] : [deny("zeroclaw-domain", `Host not in allowed domains: ${host}`)];
}

function validate(claim: CommandClaim, rules: Rules): Verdict {
  const { command, cwd } = claim;
  const { roots, home, allowed, isHighBlocked } = rules;
  const analyzed = analyzeCommand(command, { cwd, home, roots });
  if (!isListed(command, analyzed, allowed, isHighBlocked || !allowed.includes("*")))
    return deny("zeroclaw-allowlist", "Command not in allowlist");
  const path = forbiddenPathIn(analyzed, cwd, rules);
  if (path !== undefined) return deny("zeroclaw-forbidden-path", `Forbidden path: ${path}`);
  const listed = riskOf(command, analyzed);
  const own = rules.base(claim);
  const isRaised = own.effect === "ask" && listed.risk !== "high";
  const risk = isRaised ? (own.risk === "high" ? "high" : "medium") : listed.risk;
  const why = own.effect === "ask" ? own.reason : listed.why;
  return ofRisk(risk, why, claim, rules);
}

function ofRisk(risk: Decision["risk"], why: string, claim: CommandClaim, rules: Rules): Verdict {
  const { autonomy, isHighBlocked, isMediumAsked } = rules;
  if (risk === "high" && isHighBlocked) return deny("zeroclaw-high-risk", "High-risk commands are blocked");
  const isAsked = autonomy === "supervised" && (risk === "high" || (risk === "medium" && isMediumAsked));
  if (!isAsked) return allow(`zeroclaw-${risk}-risk`, why, risk);
  const text = `${risk === "high" ? "High" : "Medium"}-risk command requires approval`;
  return ask(`zeroclaw-${risk}-risk`, `${text}: ${why}`, risk, rememberedCommand(claim, rules));
}

/** The strictest of both; of equals the seed's, whose words the model knows. */
function stricterOf(verdicts: readonly Verdict[], base: Decision): Decision {
  const own = strictest(verdicts);
  if (own === undefined) return base;
  const { effect, rule, risk, reason } = own;
  if (effect === "deny") return denied(rule, reason);
  if (base.effect === "deny" || (effect === "allow" && base.effect === "ask")) return base;
  const { grant } = base;
  if (effect === "allow") return { effect, rule, risk, reason, grant };
  const asked = verdicts.filter((one) => one.effect === "ask");
  const keys = asked.flatMap(({ remember }) => remember ?? []);
  const baseKeys = base.effect === "ask" ? (base.remember ?? []) : keys;
  // An approval that is remembered stands for all that was asked about.
  const isComplete = keys.length === asked.length && baseKeys.length > 0;
  const rememberedText = asked.flatMap((one) => one.rememberedText ?? []);
  const remember = isComplete
    ? { remember: [...new Set([...keys, ...baseKeys])], rememberedText: [...new Set(rememberedText)] }
    : {};
  return { effect, rule, risk, reason, next: ASK_THE_USER, grant, ...remember };
}

function denied(rule: string, reason: string): Decision {
  return { effect: "deny", rule, risk: "high", reason };
}
