/** What exactly an approval is for. */
import type { CallRun } from "./call-run.js";
import type { ApprovedCall, ApprovedSession } from "./state.js";

/** What stands as the approver of a call where an earlier answer allowed it. */
export const REMEMBERED_ANSWER = "remembered";

/**
 * What a user approves: the same input touches something else once a symlink, the workspace or the working directory has
 * changed, or what a command gets. The digest is of the claims as they are, so that two secrets differ.
 */
export async function approvedCall(run: CallRun): Promise<ApprovedCall> {
  const { session } = run.context;
  const call = { tool: run.tool.name, session: session.id, digest: run.inputDigest, touches: await touchesOf(run) };
  return run.askedMs === undefined ? call : { ...call, askedMs: run.askedMs };
}

/** A digest of all that the call would touch, on which targets. */
export function touchesOf(run: CallRun): Promise<string> {
  const all = [
    ...touchedOn(run),
    ...(run.source === undefined ? [] : [touchedOn(run.source)]),
    ...(run.basis === undefined ? [] : [run.basis]),
  ];
  return Promise.resolve(run.context.host.digest(JSON.stringify(all)));
}

function touchedOn(run: CallRun): readonly unknown[] {
  const { name, spec } = run.target;
  return [name, spec, run.opened?.machine, realWorkspace(run), run.claims, ...lookedUp(run)];
}

/** Where the paths of a command lead, if it is elsewhere. */
function lookedUp({ files }: CallRun) {
  if (files === undefined) return [];
  const real = [...files.real].filter(([path, place]) => path !== place);
  return [...real, ...files.found];
}

/** A project is a workspace on a target, by its real path: an approval ends where a symlink is changed. */
export function scopesOf(run: CallRun) {
  const { context } = run;
  const version = context.session.version();
  const session: ApprovedSession = { session: context.session.id, ...(version === undefined ? {} : { version }) };
  return { session, project: { project: `${targetOf(run)}:${realWorkspace(run)}` } };
}

/** Keys of the policy, which hold on the target of the call alone: two targets of one `spec` may have other settings. */
export function keysOnTarget({ target: { name, spec } }: CallRun, keys: readonly string[]): readonly string[] {
  return keys.map((key) => JSON.stringify([name, spec ?? name, key]));
}

/** What the keys stand for, with the target. */
export function textsOnTarget({ target }: CallRun, texts: readonly string[]): readonly string[] {
  return texts.map((text) => `${text}, on "${target.name}"`);
}

/** What the target is, not its name: the same name can stand for another target in the next process. */
function targetOf({ target }: CallRun): string {
  return target.spec ?? target.name;
}

function realWorkspace({ opened, workspace }: CallRun): string {
  return opened?.realCwd !== undefined && workspace === opened.cwd ? opened.realCwd : workspace;
}
