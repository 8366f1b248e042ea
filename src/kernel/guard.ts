/** The checks that the ports of all backends share. The backend calls them in the step that acts. */
import { wholeNumber } from "../text/index.js";
import type { Binding, BoundCall } from "./backend.js";
import {
  type Access,
  type CommandStart,
  covers,
  coversJob,
  type Decision,
  type Grant,
  type GrantedCommand,
  includesPath,
  isNormalPath,
  isWithin,
} from "./claims.js";
import { HaftError } from "./errors.js";
import { requireText } from "./fs-faults.js";
import { graceOf } from "./port-defaults.js";
import { privateSignal } from "./private-signal.js";
import { type JobInfo, LIFETIMES, type Lifetime, type ShellOptions, type SpawnOptions } from "./shell.js";

/** The error of a call that does what it did not claim. `did` and `claim` are clauses: `lock "/a"`, `the job`. */
export function unclaimed(did: string, details: Readonly<Record<string, unknown>>, claim = "it"): HaftError {
  return new HaftError(
    "CALL_UNCLAIMED",
    `Did not ${did}: the call did not claim ${claim}. Claim it in the tool's \`claims\`.`,
    { details },
  );
}

/** Rejects what the grant does not cover at the requested path, compared as strings, before anything is touched. */
export function requireCovered(grant: Grant, path: string, access: Access): void {
  requireNormalPath(path, access);
  if (covers(grant, path, access)) return;
  if (
    grant.except.some((directory) => isWithin(directory, path)) ||
    covers({ ...grant, exceptNames: [] }, path, access)
  )
    throw new HaftError("CALL_UNCLAIMED", `Did not ${access} "${path}": it is protected. Use another path.`, {
      details: { path, access },
    });
  throw unclaimed(`${access} "${path}"`, { path, access });
}

/** Rejects a path that is relative or not normalized, and anything but a string. */
export function requireNormalPath(path: string, did: string): void {
  requireText(did, path);
  if (isNormalPath(path)) return;
  throw new HaftError(
    "FS_BAD_PATH",
    `Did not ${did} "${path}": ports take absolute, normalized paths. Use \`ctx.resolve\`.`,
    { details: { path, why: "not normalized" } },
  );
}

/**
 * Rejects unless the grant covers `access` at `path` and at all below it, whatever the names there.
 *
 * @param excepted - What the grant excepts below `path`: "refused" (default) when the operation would take it too,
 *   "skipped" when the operation passes it over.
 */
export function requireTreeCovered(
  grant: Grant,
  path: string,
  access: Access,
  excepted: "refused" | "skipped" = "refused",
): void {
  requireCovered(grant, path, access);
  const whole = grant.files.some(
    (place) => place.scope === "tree" && includesPath(grant, place, path) && place.access.includes(access),
  );
  const holdsExcepted = excepted === "refused" && grant.except.some((directory) => isWithin(path, directory));
  if (whole && !holdsExcepted) return;
  const why = whole ? "it contains a protected path" : "the call claimed it without its contents";
  throw new HaftError("CALL_UNCLAIMED", `Did not ${access} "${path}": ${why}. Name its entries one by one.`, {
    details: { path, access },
  });
}

/**
 * Authorizes the real path if it differs from the requested one. Resolves if it may be touched.
 * @throws `POLICY_DENIED`, or `POLICY_APPROVAL_REQUIRED` if a user has to approve the real path first.
 */
export async function requireAuthorized(
  grant: Grant,
  call: BoundCall,
  asked: string,
  real: string,
  access: Access,
): Promise<void> {
  if (asked === real || covers(grant, real, access)) return;
  if (grant.symlinkTargets.some((pair) => pair.asked === asked && pair.real === real)) return;
  const decision = await call.authorizeRealPath(asked, { path: real, access: [access], scope: "self" });
  requireAllowed(decision, `${access} "${asked}"`, { asked, real });
}

/** Rejects what the policy does not allow at the real path. `did` is a clause: `read "/a"`. */
function requireAllowed(
  decision: Decision,
  did: string,
  { asked, real }: { readonly asked: string; readonly real: string },
): void {
  if (decision.effect === "allow") return;
  const next = decision.next === undefined ? "" : ` ${decision.next}`;
  const code = decision.effect === "ask" ? "POLICY_APPROVAL_REQUIRED" : "POLICY_DENIED";
  throw new HaftError(code, `Did not ${did}: it resolves to "${real}". ${decision.reason}${next}`, {
    details: { rule: decision.rule, asked, real },
  });
}

/**
 * Rejects a command that the call did not claim exactly so: its text and directory, the variables that are added to its
 * environment, its stdin, and for how long it may continue after the call.
 *
 * @param grant - Undefined for the unguarded port: everything is permitted.
 * @param how - "background" for `spawn`. A command that can be detached counts as one, too.
 * @returns A copy for which each option was read once, with the granted stdin: a getter could give another value each time,
 *   and the caller could change the bytes. Use only this copy.
 */
export function requireCommand<T extends ShellOptions & Partial<Pick<SpawnOptions, "lifetime">>>(
  grant: Grant | undefined,
  command: string,
  options: T,
  how: "foreground" | "background",
): T {
  const own = readOptions(options, how);
  if (grant === undefined) return own;
  const { cwd, env = {} } = own;
  const input = own.input === undefined ? undefined : textOf(own.input);
  const lifetime = how === "background" ? own.lifetime : own.detach === undefined ? "none" : "session";
  const parts: readonly (readonly [what: string, isClaimed: (one: CommandStart) => boolean])[] = [
    ["it in this directory", (one) => one.command === command && one.cwd === cwd],
    ["it with these environment variables", (one) => isSameEnv(one.env ?? {}, env)],
    ["it with this stdin", (one) => one.input === input],
    [
      `that it may continue in the background, with the lifetime "${lifetime}"`,
      (one) => includes(one.background, lifetime) && (how === "foreground" || one.detachAfter === undefined),
    ],
  ];
  let claimed: readonly GrantedCommand[] = grant.commands;
  for (const [what, isClaimed] of parts) {
    claimed = claimed.filter(isClaimed);
    if (claimed.length === 0) throw unclaimed("run the command", { command, cwd }, what);
  }
  const { outputDirectory } = own as Partial<SpawnOptions>;
  if (outputDirectory !== undefined) requireTreeCovered(grant, outputDirectory, "write");
  const { addedEnv } = claimed[0]!;
  return {
    ...own,
    ...(addedEnv === undefined ? {} : { env: { ...addedEnv, ...env } }),
    ...(typeof input === "string" ? { input: new TextEncoder().encode(input) } : {}),
  };
}

/** Whether a command that was claimed with one lifetime may have another. "none": it ends with the call. */
function includes(claimed: Lifetime | undefined, lifetime: Lifetime | "none" | undefined): boolean {
  if (lifetime === "none") return true;
  const order: readonly unknown[] = LIFETIMES;
  return order.includes(lifetime) && order.indexOf(claimed) >= order.indexOf(lifetime);
}

/** The options of a command, each read once and of its type, with numbers in range. @throws `CALL_INVALID` before anything starts. */
function readOptions<T extends ShellOptions>(options: T, how: "foreground" | "background"): T {
  const { timeoutMs, graceMs, keep, signal, detach, env, ...rest } = { ...options };
  const given: Readonly<Record<string, unknown>> = rest;
  if (how === "background")
    requireOption(
      "lifetime",
      LIFETIMES.some((one) => one === given.lifetime),
      "session, host or keep",
    );
  for (const name of ["onOutput", "onWaiting"] as const)
    requireOption(name, given[name] === undefined || typeof given[name] === "function", "a function");
  const bytes =
    keep === undefined
      ? undefined
      : { head: numberOf("keep.head", keep?.head), tail: numberOf("keep.tail", keep?.tail) };
  const limitMs = timeoutMs === undefined ? Number.NaN : numberOf("timeoutMs", timeoutMs);
  return {
    ...rest,
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(Number.isNaN(limitMs) ? {} : { timeoutMs: limitMs }),
    ...(graceMs === undefined ? {} : { graceMs: graceOf(numberOf("graceMs", graceMs)) }),
    ...(bytes === undefined ? {} : { keep: { head: wholeNumber(bytes.head), tail: wholeNumber(bytes.tail) } }),
    ...(signal === undefined ? {} : { signal: ownSignal("signal", signal) }),
    ...(detach === undefined ? {} : { detach: ownSignal("detach", detach) }),
  } as T;
}

/** A signal that follows the given one, whose members the caller could replace. */
function ownSignal(name: string, signal: AbortSignal): AbortSignal {
  requireOption(name, signal instanceof AbortSignal, "an AbortSignal");
  return AbortSignal.any([privateSignal(signal)]);
}

function numberOf(name: string, value: unknown): number {
  requireOption(name, typeof value === "number", "a number");
  return value as number;
}

function requireOption(parameter: string, isValid: boolean, form: string): void {
  if (isValid) return;
  throw new HaftError("CALL_INVALID", `Did not run the command: \`${parameter}\` must be ${form}.`, {
    details: { parameter, problem: `not ${form}` },
  });
}

/** Null for bytes that are not UTF-8, which no claim has. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isSameEnv(claimed: Readonly<Record<string, string>>, given: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(given);
  return (
    names.length === Object.keys(claimed).length &&
    names.every((name) => Object.hasOwn(claimed, name) && claimed[name] === given[name])
  );
}

/**
 * Authorizes the directory that a command is about to start in, once the backend has pinned it. Resolves if `real` is what was
 * granted, or if the policy allows the command there.
 *
 * @param real - The path of the pinned directory, without symlinks.
 * @throws `POLICY_DENIED`, or `POLICY_APPROVAL_REQUIRED` if a user has to approve the real directory first.
 */
export async function requireAuthorizedDirectory(
  { grant, call }: Binding,
  command: string,
  cwd: string,
  real: string,
): Promise<void> {
  if (grantedDirectories(grant, command, cwd).includes(real)) return;
  const decision = await call.authorizeDirectory(command, cwd, real);
  requireLive(call);
  requireAllowed(decision, `run the command in "${cwd}"`, { asked: cwd, real });
}

/** The real paths of the directories that the command may start in without a question, when it is claimed in `cwd`. */
export function grantedDirectories(grant: Grant, command: string, cwd: string): readonly string[] {
  return grant.commands.filter((one) => one.command === command && one.cwd === cwd).map((one) => one.real ?? one.cwd);
}

/** Rejects a background command that the call did not claim. */
export function requireJob(grant: Grant, id: string): void {
  if (!coversJob(grant, id, "read")) throw unclaimed(`attach to "${id}"`, { job: id });
}

/** Rejects listing the jobs, or only one, if the call did not claim it. */
export function requireJobs(grant: Grant, id: string | undefined): void {
  if (coversJob(grant, id ?? "*", "list")) return;
  if (id === undefined) throw unclaimed("list the jobs", {});
  requireJob(grant, id);
}

/** The session and owner of a job that a call starts; neither if a backend's own port starts it. */
export function jobOwner(call: Pick<BoundCall, "sessionId" | "owner"> | undefined): Pick<JobInfo, "session" | "owner"> {
  if (call === undefined) return {};
  return { session: call.sessionId, ...(call.owner === undefined ? {} : { owner: call.owner }) };
}

/**
 * Whether a call may see a job: one of its session, or of its owner if the job may outlive the session. A backend's own
 * port, which belongs to no call, sees all.
 */
export function maySeeJob(
  job: Pick<JobInfo, "session" | "owner" | "lifetime">,
  call: Pick<BoundCall, "sessionId" | "owner"> | undefined,
): boolean {
  if (call === undefined) return true;
  return job.session === call.sessionId || (job.lifetime !== "session" && job.owner === call.owner);
}

/** The error of a backend that was closed. */
export function closedBackend(name: string): HaftError {
  return new HaftError("BACKEND_UNAVAILABLE", `Did not use the backend "${name}": it is closed. Open a new one.`, {
    details: { backend: name },
  });
}

/** Rejects every use of a port after its call has settled, been cancelled or run out of time. */
export function requireLive(call: Pick<BoundCall, "id" | "signal">): void {
  if (!call.signal.aborted) return;
  const reason: unknown = call.signal.reason;
  if (HaftError.is(reason)) throw reason;
  throw revoked(call.id);
}

/** The error of every use after a call has ended. Most calls create one that is never thrown, so it has no stack. */
export function revoked(id: string): HaftError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new HaftError("CALL_REVOKED", `The call "${id}" has already ended; nothing was done.`, {
      details: { call: id },
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
