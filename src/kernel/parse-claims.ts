/** Claims in the form that policy judges: valid, with absolute and normalized paths. */
import { resolvePath } from "../text/index.js";
import type { Access, Claim } from "./claims.js";
import { isRecord } from "./coerce.js";

/**
 * The claims of a tool with absolute, normalized file paths, or why they are invalid, as a clause. Without normalizing, a path
 * with `..` could start with a granted directory and lead out of it.
 */
export function parseClaims(
  stated: readonly Claim[],
  cwd: string,
  home: string,
): readonly Claim[] | { readonly why: string } {
  const claims: Claim[] = [];
  for (const [index, claim] of stated.entries()) {
    const why = claimProblem(claim);
    if (why !== undefined) return { why: `claim ${index + 1} is invalid: ${why}` };
    claims.push(normalised(claim, cwd, home));
  }
  return claims;
}

function normalised(claim: Claim, cwd: string, home: string): Claim {
  if (claim.kind !== "file") return claim;
  const path = resolvePath(cwd, claim.path, home);
  return path === claim.path ? claim : { ...claim, path };
}

const ACCESS: readonly Access[] = ["read", "write", "create", "delete"];

const KINDS: readonly Claim["kind"][] = [
  "file",
  "command",
  "input",
  "job",
  "network",
  "network-open",
  "state",
  "server",
  "external",
  "delegate",
  "secret",
];

/** What makes a claim impossible to judge, as a clause; the types check the rest. */
function claimProblem(claim: Claim): string | undefined {
  if (!isRecord(claim as unknown) || !KINDS.includes(claim.kind))
    return `its \`kind\` is not one of ${KINDS.join(", ")}`;
  if (claim.kind === "state")
    return typeof claim.store === "string" && (claim.access === "read" || claim.access === "write")
      ? undefined
      : 'a state claim needs a `store`, and "read" or "write" as `access`';
  if (claim.kind === "network")
    return typeof claim.method === "string" && URL.canParse(claim.url)
      ? undefined
      : "a network claim needs a `method` and an absolute `url`";
  if (claim.kind !== "file") return undefined;
  if (typeof claim.path !== "string" || claim.path === "") return "`path` must be a non-empty string";
  if (!Array.isArray(claim.access) || claim.access.length === 0 || !claim.access.every((one) => ACCESS.includes(one)))
    return `\`access\` must list some of ${ACCESS.join(", ")}`;
  return undefined;
}
