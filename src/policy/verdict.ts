/** What is said about one thing that a call would do. The strictest verdict decides. */
import type { Decision, Risk } from "../kernel/index.js";

export interface Verdict {
  readonly effect: Decision["effect"];
  readonly rule: string;
  readonly risk: Risk;
  readonly reason: string;
  readonly next?: string;
  /** For "ask": what an approval of more than one call is remembered under. Absent: only once. */
  readonly remember?: string;
  /** With `remember`: what runs unasked then, as a user reads it. */
  readonly rememberedText?: string;
  /** Another claim of the call says the same more closely: the directories above a file that is created. */
  readonly isImplied?: true;
  /** It changes something. */
  readonly changes?: true;
  /** For "ask": it only reads, so that it runs at "readonly" too where a rule or a list of the user allows it. */
  readonly isRead?: true;
  /** For "ask": a rule of the user that allows the tool or the program settles it. */
  readonly settledByAllow?: true;
  /** For "ask": a rule that allows the host of a command settles it. */
  readonly settledByHost?: true;
  /** For "ask" and "deny": no level of autonomy lifts it. */
  readonly atEveryLevel?: true;
  /** The subject of a rule that would settle it, as `haft policy allow` takes it. Absent: no rule does. */
  readonly suggest?: string;
  /** A rule of the user decided: no level of autonomy loosens it. */
  readonly byRule?: true;
}

export type Remembered = Pick<Verdict, "remember" | "rememberedText">;

const ORDER: Readonly<Record<Verdict["effect"], number>> = { allow: 0, ask: 1, deny: 2 };
const RISKS: Readonly<Record<Risk, number>> = { low: 0, medium: 1, high: 2 };

/** The strictest of some verdicts, of equals the one with the highest risk, of these the first; undefined for none. */
export function strictest(verdicts: readonly Verdict[]): Verdict | undefined {
  const isStricter = (one: Verdict, other: Verdict) =>
    ORDER[one.effect] - ORDER[other.effect] || RISKS[one.risk] - RISKS[other.risk];
  return verdicts.reduce<Verdict | undefined>(
    (worst, one) => (worst === undefined || isStricter(one, worst) > 0 ? one : worst),
    undefined,
  );
}

/** What a model can do where the user would have to be asked. */
export const ASK_THE_USER = "If it is needed, ask the user to do it.";

export function allow(rule: string, reason: string, risk: Risk = "low"): Verdict {
  return { effect: "allow", rule, risk, reason };
}

export function ask(rule: string, reason: string, risk: Risk, remembered: Remembered = {}): Verdict {
  return { effect: "ask", rule, risk, reason, ...remembered };
}

/** A question that a rule of the user settles which allows the tool or the program. */
export function askUnlessAllowed(rule: string, reason: string, risk: Risk, remembered?: Remembered): Verdict {
  return { ...ask(rule, reason, risk, remembered), settledByAllow: true };
}

/** What another verdict is remembered under. */
export function rememberedAs({ remember, rememberedText }: Verdict): Remembered {
  return {
    ...(remember === undefined ? {} : { remember }),
    ...(rememberedText === undefined ? {} : { rememberedText }),
  };
}

export function deny(rule: string, reason: string, next?: string): Verdict {
  return { effect: "deny", rule, risk: "high", reason, ...(next === undefined ? {} : { next }) };
}

/** A denial that no level of autonomy lifts. */
export function denyAlways(rule: string, reason: string, next?: string): Verdict {
  return { ...deny(rule, reason, next), atEveryLevel: true };
}

/** The question in a session that has read untrusted content: no rule lifts it, and no approval from before is remembered for it. */
export function afterTaint(verdict: Verdict): Verdict {
  const { settledByAllow: _, settledByHost: __, suggest: ___, ...asked } = verdict;
  const { remember } = asked;
  return {
    ...asked,
    reason: `${verdict.reason} ${TAINTED}`,
    next: "No rule lifts this in a session that has read such content; a user who is asked can.",
    ...(remember === undefined ? {} : { remember: `tainted ${remember}` }),
  };
}

/** Why a session is asked more. */
export const TAINTED = "This session has read content from outside the workspace, which may carry instructions.";
