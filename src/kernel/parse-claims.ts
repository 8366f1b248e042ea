/** Claims as they are judged: well-formed, and with paths that have one spelling. */
import { resolvePath } from "../text/index.js";
import type { Access, Claim } from "./claims.js";
import { isRecord } from "./coerce.js";

/**
 * The claims of a tool with every file path absolute and normalised, or why they cannot be judged, as a clause. A path with
 * `..` in it would be inside a folder by its spelling and outside by its meaning.
 */
export function parseClaims(
  stated: readonly unknown[],
  cwd: string,
  home: string,
): readonly Claim[] | { readonly why: string } {
  const claims: Claim[] = [];
  for (const [index, claim] of stated.entries()) {
    const why = !isRecord(claim) ? "it is no claim" : (KINDS[String(claim.kind)]?.(claim) ?? unknownKind(claim.kind));
    if (why !== "") return { why: `claim ${index + 1} cannot be judged: ${why}` };
    claims.push(normalised(claim as Claim, cwd, home));
  }
  return claims;
}

function normalised(claim: Claim, cwd: string, home: string): Claim {
  if (claim.kind !== "file") return claim;
  const path = resolvePath(cwd, claim.path, home);
  return path === claim.path ? claim : { ...claim, path };
}

const unknownKind = (kind: unknown): string => `there is no kind "${String(kind)}"`;

const ACCESS: readonly Access[] = ["read", "write", "create", "delete"];

type Stated = Readonly<Record<string, unknown>>;

/** Per kind: "" when it is well-formed, else what is wrong. */
const KINDS: Readonly<Record<string, (claim: Stated) => string>> = Object.assign(Object.create(null), {
  file: ({ path, access, scope, optional }: Stated) => {
    if (typeof path !== "string" || path === "") return "`path` is no path";
    if (!Array.isArray(access) || access.length === 0 || !access.every((one) => ACCESS.includes(one)))
      return `\`access\` takes some of ${ACCESS.join(", ")}`;
    if (optional !== undefined && optional !== "unless-denied" && optional !== "if-allowed")
      return '`optional` is "unless-denied" or "if-allowed"';
    return scope === "self" || scope === "tree" ? "" : '`scope` is "self" or "tree"';
  },
  command: texts("command", "cwd"),
  input: texts("id", "text"),
  job: texts("action"),
  network: (claim: Stated) =>
    texts("method", "url")(claim) || (URL.canParse(String(claim.url)) ? "" : "`url` is no URL"),
  "network-open": texts("purpose"),
  state: texts("store", "access"),
  server: texts("server", "tool"),
  delegate: texts("agent"),
  secret: texts("name"),
});

function texts(...names: readonly string[]): (claim: Stated) => string {
  return (claim) => {
    const bad = names.find((name) => typeof claim[name] !== "string");
    return bad === undefined ? "" : `\`${bad}\` is no text`;
  };
}
