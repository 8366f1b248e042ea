/** The policy of a host that names what is allowed; everything else is denied. */
import {
  type Claim,
  type Decision,
  grantFor,
  HaftError,
  isWithin,
  type Policy,
  type PolicyCall,
} from "../kernel/index.js";
import { normalizePath } from "../text/index.js";

/** What `denyByDefaultPolicy` lets pass. */
export interface DenyByDefaultOptions {
  /** Absolute directories; files in and below them may be touched. None: no file may. */
  readonly roots: readonly string[];
  /** False: files in the roots is read-only. Default true. */
  readonly writes?: boolean;
  /** Whether commands may run, in a directory inside a root, and their jobs be used. A command can reach more than its directory. Default false. */
  readonly commands?: boolean;
}

type Refusal = Extract<Decision, { effect: "deny" }>;

/**
 * Allows files inside the roots, commands when they are allowed, and nothing else. A path is judged by its spelling after
 * `.` and `..` are worked out; where a symlink leads elsewhere, the port judges the real place by the same rules.
 *
 * @throws `CONFIG_INVALID` when a root is not absolute.
 */
export function denyByDefaultPolicy(options: DenyByDefaultOptions): Policy {
  const roots = options.roots.map(rootOf);
  const { writes = true, commands = false } = options;

  const outside = (what: string, path: string): Refusal =>
    denied(
      "outside-roots",
      `${what} "${path}" is outside ${listed(roots)}.`,
      "Use a path inside, or ask the operator to add a root.",
    );

  const noCommands = (): Refusal | undefined =>
    commands
      ? undefined
      : denied("no-commands", "Commands are not allowed here.", "Use the file and search tools instead.");

  const judges: Judges = {
    // A caller that may run any command may also write to any job.
    job: noCommands,
    input: (claim) => (claim.to === "job" ? noCommands() : notNamed(claim.kind)),
    file(claim) {
      const path = normalizePath(claim.path);
      if (!roots.some((root) => isWithin(root, path))) return outside("The path", path);
      if (!writes && claim.access.some((access) => access !== "read"))
        return denied("read-only", `"${path}" is read-only.`, "Ask the operator to allow writes.");
      return undefined;
    },
    command(claim) {
      const refusal = noCommands();
      if (refusal !== undefined) return refusal;
      const cwd = normalizePath(claim.cwd);
      return roots.some((root) => isWithin(root, cwd))
        ? undefined
        : outside("The working directory of the command", cwd);
    },
  };

  return Object.freeze({
    name: "deny-by-default",
    decide(claims, call): Decision {
      for (const claim of claims) {
        const refusal = judge(judges, claim);
        if (refusal !== undefined) return refusal;
      }
      return allowed(claims, call);
    },
  } satisfies Policy);
}

type Judges = { readonly [K in Claim["kind"]]?: (claim: Extract<Claim, { kind: K }>) => Refusal | undefined };

function judge<K extends Claim["kind"]>(judges: Judges, claim: Extract<Claim, { kind: K }>): Refusal | undefined {
  const one = judges[claim.kind] as ((claim: Extract<Claim, { kind: K }>) => Refusal | undefined) | undefined;
  return one === undefined ? notNamed(claim.kind) : one(claim);
}

function notNamed(kind: Claim["kind"]): Refusal {
  return denied("not-named", `No rule allows claims of the kind "${kind}".`, "Ask the operator to allow it.");
}

function allowed(claims: readonly Claim[], call: PolicyCall): Decision {
  const risk = claims.some((claim) => claim.kind === "command") ? "medium" : "low";
  return {
    effect: "allow",
    rule: "inside-roots",
    risk,
    reason: "Everything that the call claims is allowed.",
    grant: grantFor(call.callId, claims),
  };
}

function denied(rule: string, reason: string, next: string): Refusal {
  return { effect: "deny", rule, risk: "high", reason, next };
}

function rootOf(root: string): string {
  if (!root.startsWith("/"))
    throw new HaftError(
      "CONFIG_INVALID",
      `The root "${root}" is not absolute. Pass the absolute path of the directory.`,
    );
  return normalizePath(root);
}

function listed(roots: readonly string[]): string {
  if (roots.length === 0) return "every allowed root: none is set";
  return `the allowed ${roots.length === 1 ? "root" : "roots"} ${roots.map((root) => `"${root}"`).join(", ")}`;
}
