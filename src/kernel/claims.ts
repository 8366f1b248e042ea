/**
 * What a call will touch, as data. A tool states claims; the policy turns approved claims into a grant; a backend enforces the
 * grant in the step that acts. So neither a wrong tool nor a swapped symlink can bypass the policy.
 */

import { isExceptedBelow } from "./excepted-names.js";
import type { HttpHeaders } from "./http.js";
import type { Lifetime } from "./shell.js";

export const ACCESSES = ["read", "write", "create", "delete"] as const;
/** The access to a path. "write" covers "create". */
export type Access = (typeof ACCESSES)[number];

/** `path` is absolute, in the backend's namespace. "tree": the path and all below it. */
export interface Place {
  readonly path: string;
  readonly access: readonly Access[];
  readonly scope: "self" | "tree";
}

/** What is done with a background command. Whoever may write to it, signal it or stop it may also read its output. */
export const JOB_ACTIONS = ["list", "read", "write", "signal", "stop"] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

/** What is done with a pane of a terminal. Whoever may write to it or close it may also read it. */
export const PANE_ACTIONS = ["list", "read", "write", "open", "close"] as const;
export type PaneAction = (typeof PANE_ACTIONS)[number];

/** One thing that a call will touch. A command claim covers everything that the command does; a file claim only its path. */
export type Claim =
  /**
   * `optional`: the call continues without this path, which its port then refuses, if the policy denies it ("unless-denied") or
   * does not allow it ("if-allowed": the user is not asked about it). `target`: the name of the source target of the call (see
   * `ToolSpec.sourceParameter`), where the path is then and which is only read from. Absent: the target of the call.
   */
  | ({
      readonly kind: "file";
      readonly optional?: "unless-denied" | "if-allowed";
      readonly target?: string;
      /** For what is deleted by being moved: where it is then, for messages. */
      readonly movedTo?: string;
    } & Place)
  | ({ readonly kind: "command" } & CommandStart)
  /** The whole text that is written to it; an empty one closes its stdin. */
  | { readonly kind: "input"; readonly to: "job" | "pane"; readonly id: string; readonly text: string }
  /** "stop" covers "signal". */
  | { readonly kind: "job"; readonly action: Exclude<JobAction, "write">; readonly id?: string }
  /** Typing into a pane is an "input" claim. */
  | { readonly kind: "pane"; readonly action: Exclude<PaneAction, "write">; readonly id?: string }
  | ({ readonly kind: "network" } & ClaimedRequest)
  | { readonly kind: "network-open"; readonly purpose: string }
  /** Documents of one collection; with `key`, one document. */
  | ({ readonly kind: "state" } & GrantedState)
  /** A tool of another MCP server, by the name that the server is configured under and the tool's own. */
  | { readonly kind: "server"; readonly server: string; readonly tool: string }
  /**
   * A tool of another SDK, by the name of the SDK or package and the tool's own. What it touches is not known. `approval`: its
   * author wants the user asked about this call, whatever was approved before.
   */
  | { readonly kind: "external"; readonly source: string; readonly tool: string; readonly approval?: "each-call" }
  | { readonly kind: "delegate"; readonly agent: string; readonly tools: readonly string[] }
  | { readonly kind: "secret"; readonly name: string; readonly hosts: readonly string[] };

/** An HTTP request that a call sends. */
export interface ClaimedRequest {
  readonly method: string;
  readonly url: string;
  /** What the model has put into it beside the URL; not what the tool sends with each request. */
  readonly headers?: HttpHeaders;
  readonly body?: string;
  /** "search": it sends the query of a search, which the user allows for the endpoints that they have configured. */
  readonly purpose?: "search";
  /** Where a connection goes. The kernel sets it when it asks about a connection; what a tool claims has none. */
  readonly address?: string;
}

/** How a command starts: exactly so, or not at all. */
export interface CommandStart {
  readonly command: string;
  readonly cwd: string;
  /** The variables that are added to its environment. Absent: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The text on its stdin, as UTF-8. Absent: none. For other bytes, redirect stdin from a file. */
  readonly input?: string;
  /** It may continue after the call as a background job of this lifetime, or of a shorter one. Absent: it may not. */
  readonly background?: Lifetime;
  /**
   * With `background`: when it continues there if it starts in the foreground: after this many milliseconds, or "input" for only
   * where it waits for input. Absent: it is in the background from the start.
   */
  readonly detachAfter?: number | "input";
}

/** A command that a call may start. */
export interface GrantedCommand extends CommandStart {
  /** The real path that was approved, if `cwd` was resolved before the question. Absent: `cwd` has no symlink. */
  readonly real?: string;
  /** Variables that the policy adds to its environment, unless the command sets them. */
  readonly addedEnv?: Readonly<Record<string, string>>;
}

/** What a call may do with a background command. */
export interface GrantedJob {
  /** "*": any that its session sees. */
  readonly id: string;
  readonly actions: readonly JobAction[];
  /** With "write": exactly this text. Absent: any. */
  readonly input?: string;
}

/** What a call may do with a pane of a terminal. */
export interface GrantedPane {
  /** As the call names it: an id such as "%3", or "default". "*": any. */
  readonly id: string;
  readonly actions: readonly PaneAction[];
  /** With "write": exactly this text, as `keysAsText` writes it. Absent: any. */
  readonly input?: string;
}

/** An HTTP request that a call may make: exactly this URL, any of its origin, or any at all. The method "*" stands for all. */
export interface GrantedRequest {
  readonly method: string;
  readonly url: string;
  readonly scope: "exact" | "origin" | "any";
}

/** A secret by its name, and the hosts that it may be sent to. */
export interface GrantedSecret {
  readonly name: string;
  readonly hosts: readonly string[];
}

/** Documents that a call may read, or read and write. */
export interface GrantedState {
  readonly collection: string;
  readonly access: "read" | "write";
  /** Absent: every document of the collection. */
  readonly key?: string;
}

/** What one call may touch: plain data, so that it can travel to where it is enforced. */
export interface Grant {
  readonly id: string;
  readonly files: readonly Place[];
  /** Paths that are never touched although the grant covers them, each with all below it; searches count them as skipped. */
  readonly except: readonly string[];
  /**
   * Globs of names (`*` and `?`, case-insensitive, no slash), such as `.env*`: what has such a name below a place of scope
   * "tree", with all below it, is not covered by that place. A place of scope "self" covers it, and so does a tree that begins
   * there. Searches omit it below their root and count it under "policy"; listings still show the name, and a directory that
   * contains it can be deleted and moved.
   */
  readonly exceptNames: readonly string[];
  readonly commands: readonly GrantedCommand[];
  readonly requests: readonly GrantedRequest[];
  /** Secrets that requests may carry, each to these hosts only. */
  readonly secrets: readonly GrantedSecret[];
  readonly state: readonly GrantedState[];
  readonly panes: readonly GrantedPane[];
  readonly jobs: readonly GrantedJob[];
  /** Paths that contain a symlink, with the real paths that were allowed. */
  readonly symlinkTargets: readonly { readonly asked: string; readonly real: string }[];
}

/** How much harm a mistaken call can do; for users and the audit log, no decision depends on it. */
export type Risk = "low" | "medium" | "high";

/** The policy's decision on the claims of a call: allow, ask or deny, and by which rule. */
export type Decision = {
  /** The rule that decided, by name, so that a user can find it. */
  readonly rule: string;
  readonly risk: Risk;
  readonly reason: string;
  /** What the model or the operator can do now. */
  readonly next?: string;
  /** The rules that would allow it, as `haft policy allow` takes them: "npm test". Absent: no rules do. */
  readonly suggestedRules?: readonly string[];
} & (
  | { readonly effect: "allow"; readonly grant: Grant }
  /**
   * `remember`: keys under which an approval for a session or a project is remembered. Absent or empty: it is not. `rememberedText`: what
   * the keys stand for, as a user reads it.
   */
  | {
      readonly effect: "ask";
      readonly grant: Grant;
      readonly remember?: readonly string[];
      readonly rememberedText?: readonly string[];
    }
  | { readonly effect: "deny" }
);

/** An approver's answer: granted, refused, or postponed until the token is granted. */
export type Approval =
  | { readonly by: string; readonly scope: "once" | "session" | "project" }
  | { readonly denied: string }
  | { readonly pending: true };

/** A grant that covers exactly these claims and nothing else. */
export function grantFor(id: string, claims: readonly Claim[], extra: Partial<Grant> = {}): Grant {
  const files: Place[] = [];
  const commands: GrantedCommand[] = [];
  const requests: GrantedRequest[] = [];
  const secrets: GrantedSecret[] = [];
  const state: GrantedState[] = [];
  const panes: GrantedPane[] = [];
  const jobs: GrantedJob[] = [];
  for (const claim of claims) {
    if (claim.kind === "file") files.push({ path: claim.path, access: [...claim.access], scope: claim.scope });
    else if (claim.kind === "command") {
      const { kind: _, ...start } = claim;
      commands.push(start);
    } else if (claim.kind === "network") requests.push({ method: claim.method, url: claim.url, scope: "exact" });
    else if (claim.kind === "network-open") requests.push({ method: "*", url: "*", scope: "any" });
    else if (claim.kind === "secret") secrets.push({ name: claim.name, hosts: [...claim.hosts] });
    else if (claim.kind === "state") {
      const { collection, access, key } = claim;
      state.push(key === undefined ? { collection, access } : { collection, access, key });
    } else if (claim.kind === "input") {
      if (claim.to === "pane") panes.push({ id: claim.id, actions: ["write"], input: claim.text });
      else jobs.push({ id: claim.id, actions: ["write"], input: claim.text });
    } else if (claim.kind === "job") jobs.push({ id: claim.id ?? "*", actions: [claim.action] });
    else if (claim.kind === "pane") panes.push({ id: claim.id ?? "*", actions: [claim.action] });
  }
  return {
    id,
    files,
    except: [],
    exceptNames: [],
    commands,
    requests,
    secrets,
    state,
    panes,
    jobs,
    symlinkTargets: [],
    ...extra,
  };
}

/** The grant of a tool without claims: every port refuses. */
export const EMPTY_GRANT: Grant = Object.freeze(grantFor("none", []));

/** Whether `path` is `directory` or lies below it. Both absolute and normalized. */
export function isWithin(directory: string, path: string): boolean {
  if (path === directory || directory === "/") return path.startsWith("/");
  return path.startsWith(directory) && path.charCodeAt(directory.length) === 47;
}

const NOT_NORMAL = /^(?!\/)|\/\.{0,2}(?:\/|(?<=[\s\S]{2})$)/;

/**
 * Whether a path is absolute and free of `.`, `..` and empty names. Where `/a/../b` lies depends on symlinks. An object is not
 * a path: its text could differ each time it is read.
 */
export function isNormalPath(path: unknown): path is string {
  return typeof path === "string" && !NOT_NORMAL.test(path);
}

/** Whether a place of the grant includes the path, whatever the access. Both normalized. */
export function includesPath({ exceptNames }: Grant, { path: top, scope }: Place, path: string): boolean {
  if (scope === "self") return path === top;
  return isWithin(top, path) && !isExceptedBelow(exceptNames, top, path);
}

/**
 * Whether the grant covers `access` at `path`, compared as strings, so never at a path that is not normalized. "write" covers
 * "create" of the same path.
 */
export function covers(grant: Grant, path: string, access: Access): boolean {
  if (!isNormalPath(path)) return false;
  if (grant.except.some((directory) => isWithin(directory, path))) return false;
  return grant.files.some(
    (place) =>
      includesPath(grant, place, path) &&
      (place.access.includes(access) || (access === "create" && place.access.includes("write"))),
  );
}

/** Whether the grant covers this action on a background command. */
export function coversJob(grant: Grant, id: string, action: JobAction): boolean {
  return grant.jobs.some(
    (one) =>
      (one.id === id || one.id === "*") &&
      one.actions.some(
        (granted) =>
          granted === action ||
          (action === "read" && granted !== "list") ||
          (action === "signal" && granted === "stop"),
      ),
  );
}

/** Whether the grant covers this action on a pane. */
export function coversPane(grant: Grant, id: string, action: PaneAction, input?: string): boolean {
  return grant.panes.some(
    (one) =>
      (one.id === id || one.id === "*") &&
      (input === undefined || one.input === undefined || one.input === input) &&
      one.actions.some(
        (granted) => granted === action || (action === "read" && (granted === "write" || granted === "close")),
      ),
  );
}

/** Whether the grant covers this request. A fragment is not part of a request. */
export function coversRequest(grant: Grant, method: string, url: string): boolean {
  const asked = urlOf(url);
  if (asked === undefined) return false;
  return grant.requests.some((one) => {
    if (one.method !== "*" && one.method.toUpperCase() !== method.toUpperCase()) return false;
    if (one.scope === "any") return true;
    const granted = urlOf(one.url);
    if (granted === undefined || granted.origin !== asked.origin || granted.origin === "null") return false;
    return one.scope === "origin" || granted.href === asked.href;
  });
}

/**
 * Whether a connection belongs to a request that was granted by its URL: of the same method and origin, or the same host by https
 * in place of http.
 */
export function coversConnection(grant: Grant, method: string, url: string): boolean {
  const to = urlOf(url);
  if (to === undefined) return false;
  return grant.requests.some((one) => {
    const granted = one.scope === "any" ? undefined : urlOf(one.url);
    if (granted === undefined || one.method.toUpperCase() !== method.toUpperCase()) return false;
    const isUpgrade = granted.protocol === "http:" && to.protocol === "https:" && granted.host === to.host;
    return (granted.origin === to.origin && to.origin !== "null") || isUpgrade;
  });
}

/** Whether a request to this URL may carry the secret. */
export function coversSecret(grant: Grant, name: string, url: string): boolean {
  const to = urlOf(url);
  if (to === undefined) return false;
  return grant.secrets.some((one) => one.name === name && one.hosts.some((host) => host.toLowerCase() === to.hostname));
}

function urlOf(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = "";
  return url;
}

/** Whether the grant covers a document, or without `key` every document of the collection. "write" covers "read". */
export function coversState(grant: Grant, collection: string, access: "read" | "write", key?: string): boolean {
  return grant.state.some(
    (one) =>
      one.collection === collection &&
      (one.access === "write" || access === "read") &&
      (one.key === undefined || one.key === key),
  );
}
