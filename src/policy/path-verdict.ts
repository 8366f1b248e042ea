/** Which paths may be read, written and deleted. */
import { type Access, isExceptedBelow, isWithin, type Place } from "../kernel/index.js";
import { compileGlob, normalizePath } from "../text/index.js";
import { allow, ask, askUnlessAllowed, deny, denyAlways, strictest, type Verdict } from "./verdict.js";

/** A directory that calls may use, with all below it. */
export interface PolicyRoot {
  /** Absolute. */
  readonly path: string;
  /** Default "write", which covers "read". */
  readonly access?: "read" | "write";
}

/** Names of files and directories that hold secrets, in any letter case; `*` stands for any characters. */
export const SENSITIVE_NAMES: readonly string[] = [
  ...[".env", ".env.local", ".env.*.local", ".env.development", ".env.test", ".env.staging", ".env.production"],
  ...["*.pem", "*.key", "*.p12", "*.pfx", "*.keystore", "*.jks", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"],
  ...[".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd"],
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud", ".vault-token"],
];

/** Files that git, shells, editors and agents run or obey without being asked, relative to any directory. */
const OBEYED: readonly RegExp[] = [
  /(^|\/)([^/]*\.git|\.bare|\.?githooks)(\/|$)/i,
  /(^|\/)([^/]*\.gitconfig|\.?lefthook(-local)?\.(ya?ml|toml|json))$/i,
  /(^|\/)\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|envrc|inputrc)$/i,
  /(^|\/)\.(gitmodules|gitattributes|husky|vimrc|exrc|nvimrc|emacs|emacs\.d|dir-locals\.el|tmux\.conf|screenrc)(\/|$)/i,
  /(^|\/)\.(vscode|idea|devcontainer|claude|cursor|gemini|codex|zed)(\/|$)/i,
  /(^|\/)(\.mcp\.json|\.yarnrc|\.yarnrc\.yml|\.pnpmfile\.cjs|\.pre-commit-config\.yaml)$/i,
];

/** Configuration files of Haft: what they allow would be what the model allows itself. */
const OWN_CONFIGURATION = /(^|\/)haft\.jsonc$/i;

const SYSTEM_DIRECTORIES: readonly string[] = [
  ...["/etc", "/usr", "/bin", "/sbin", "/lib", "/var", "/opt", "/boot", "/dev", "/proc", "/sys"],
];

/** Devices that keep nothing. */
const NOTHING: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

const SENSITIVE_EXAMPLES = SENSITIVE_NAMES.map((name) => name.replaceAll("*", "x"));

/** Whether a glob of a command names sensitive files: `.e*`, `*.key`. A `*` alone names every file, and none of these in particular. */
export function isSensitiveGlob(glob: string): boolean {
  return glob.split("/").some((part) => {
    if (/^[*?]*$/.test(part)) return false;
    const compiled = compileGlob(part, { matchBase: false });
    // As in a shell, a dot at the start is matched by a dot.
    const isNamed = (name: string) => !name.startsWith(".") || part.startsWith(".") || part.startsWith("[");
    return !compiled.ok || SENSITIVE_EXAMPLES.some((name) => isNamed(name) && compiled.matches(name));
  });
}

export interface PathRules {
  readonly roots: readonly Required<PolicyRoot>[];
  /** Names that hold secrets. Default: `SENSITIVE_NAMES`. */
  readonly sensitive?: readonly string[];
  /** The user's home directory. */
  readonly home?: string;
  /** Directories and files that a rule opens at this path. */
  readonly opened?: readonly Required<PolicyRoot>[];
}

/** The verdict on one path: the strictest of its accesses. */
export function judgePath({ path, access, scope }: Place, rules: PathRules): Verdict {
  const normalized = normalizePath(path);
  if (NOTHING.has(normalized)) return allow("device", `"${normalized}" keeps nothing.`);
  const { roots, opened, sensitive = SENSITIVE_NAMES } = rules;
  const all = opened === undefined ? roots : [...roots, ...opened];
  const around = all.filter((one) => isWithin(one.path, normalized));
  if (around.length === 0) return outside({ path: normalized, access, scope }, rules);
  const verdicts = access.map((one) => {
    const root = innermost(around, one);
    return judgeAccess(normalized, one, scope, root, { roots, sensitive });
  });
  const verdict = strictest(verdicts) ?? allow("inside-roots", `"${normalized}" is in the workspace.`);
  // A change counts also beside a read of the same path.
  return verdict.effect === "allow" ? (verdicts.find(({ changes }) => changes) ?? verdict) : verdict;
}

/** Of the roots that grant the access, or else of all, the one that names the path most closely. */
function innermost(around: readonly Required<PolicyRoot>[], access: Access): Required<PolicyRoot> {
  const granting = around.filter((one) => access === "read" || one.access === "write");
  return (granting.length > 0 ? granting : around).reduce((best, one) =>
    one.path.length > best.path.length ? one : best,
  );
}

function judgeAccess(
  path: string,
  access: Access,
  scope: Place["scope"],
  root: Required<PolicyRoot>,
  { roots, sensitive }: { readonly roots: readonly Required<PolicyRoot>[]; readonly sensitive: readonly string[] },
): Verdict {
  const isSecret = isExceptedBelow(sensitive, root.path, path);
  if (access === "read")
    return isSecret
      ? {
          ...ask("sensitive-file", `"${path}" usually holds secrets.`, "medium", {
            remember: `read ${path}`,
            rememberedText: `reading "${path}"`,
          }),
          isRead: true,
        }
      : allow("read-inside", `"${path}" is in the workspace.`);
  if (OWN_CONFIGURATION.test(path))
    return denyAlways("own-configuration", `"${path}" is Haft's own configuration.`, "Ask the user to change it.");
  if (root.access === "read")
    return deny("read-only-root", `"${path}" may be read and not changed.`, "Write in the workspace instead.");
  if (access === "delete") {
    const lost = roots.find((one) => isWithin(path, one.path));
    if (lost !== undefined)
      return denyAlways(
        "destroys-root",
        `It would delete "${lost.path}" as a whole.`,
        "Delete single files or directories in it.",
      );
    return askUnlessAllowed("delete", `It deletes "${path}"${scope === "tree" ? " with all below it" : ""}.`, "medium");
  }
  const isObeyed = OBEYED.some((pattern) => pattern.test(path.slice(root.path.length)));
  if (isObeyed)
    return ask("start-up-file", `Git, a shell, an editor or an agent runs or obeys "${path}" unasked.`, "high");
  if (isSecret) return ask("sensitive-file", `"${path}" usually holds secrets.`, "medium");
  return { ...allow("write-inside", `It changes "${path}" in the workspace.`), changes: true };
}

/** What is moved is deleted where it was. @param to - Where it is moved, if that is known. */
export function asMoved(verdict: Verdict, to?: string): Verdict {
  const where = to === undefined ? "" : ` to "${to}"`;
  const reason = verdict.reason.replace(
    /It deletes (".*") with all below it\.$/s,
    (_, path: string) => `It moves ${path}${where}.`,
  );
  return { ...verdict, reason };
}

function outside({ path, access }: Place, { roots, home, sensitive = SENSITIVE_NAMES }: PathRules): Verdict {
  const where = roots.map((one) => `"${one.path}"`).join(", ");
  const reason = `"${path}" is outside ${roots.length === 1 ? "the workspace" : "the allowed directories"} ${where}.`;
  const isDelicate = isExceptedBelow(sensitive, "/", path) || OBEYED.some((pattern) => pattern.test(path));
  // A rule can open it if nothing else would be asked about it, and a rule can name it.
  const isNameable = !isDelicate && !access.includes("delete") && !OWN_CONFIGURATION.test(path) && isWritable(path);
  const isRead = access.every((one) => one === "read");
  // A user who only copies the rule would open more than they mean.
  const kept = [...roots.map((root) => root.path), ...(home === undefined ? [] : [home])];
  const isTooMuch =
    kept.some((one) => isWithin(path, one)) ||
    SYSTEM_DIRECTORIES.some((one) => (isRead ? path === one : isWithin(one, path)));
  if (!isNameable || isTooMuch)
    return deny("outside-roots", reason, "Use a path inside, or ask the user to allow that directory.");
  const suggest = `${isRead ? "" : "write "}path:${path}`;
  return { ...deny("outside-roots", reason, "Use a path inside, or ask the user to allow that directory."), suggest };
}

/** Whether a rule can be written for exactly this path. */
function isWritable(path: string): boolean {
  return !/[*?\p{C}]|\s$/u.test(path);
}
