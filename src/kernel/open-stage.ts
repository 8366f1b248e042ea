/** Opens the target of a call. Calls on other targets do not wait for it. */
import { type Backend, isBackend } from "./backend.js";
import { type CallRun, ended, type Step } from "./call-run.js";
import { HaftError, ignoreRejection, messageOf } from "./errors.js";
import { fail } from "./result.js";
import { after, isPromise } from "./with-timeout.js";

/** Opens the target of the call, and the one that it reads from. */
export function openTargets(run: CallRun): Step | PromiseLike<Step> {
  return after(
    openTarget(run),
    (stopped) => stopped ?? (run.source === undefined ? undefined : openTarget(run.source)),
  );
}

/**
 * Fills in the backend and its directories; an ending that names the target and the cause when it cannot be opened. A tool that
 * claims nothing, such as the todo list, needs no target: it neither waits for one that is being opened nor fails with it.
 */
function openTarget(run: CallRun): Step | PromiseLike<Step> {
  try {
    const opening = run.target.open();
    if (!isPromise(opening)) return take(run, opening);
    if (run.tool.body.claims === undefined) {
      ignoreRejection(opening);
      return undefined;
    }
    run.isOpening = true;
    return opening.then(
      (backend) => take(run, backend),
      (thrown: unknown) => notOpened(run, thrown),
    );
  } catch (thrown) {
    return notOpened(run, thrown);
  }
}

function take(run: CallRun, backend: Backend): Step {
  const { context, target } = run;
  if (!isBackend(backend)) return notOpened(run, new Error("its `open` returned no backend"));
  const isDefault = target.name === context.target.name;
  run.opened = backend;
  run.isOpening = false;
  run.workspace = (isDefault ? context.workspace : undefined) ?? target.workspace ?? backend.cwd;
  run.cwd = (isDefault ? context.cwd : context.session.cwd(target.name)) ?? target.workspace ?? backend.cwd;
  return undefined;
}

function notOpened(run: CallRun, thrown: unknown): Step {
  const { tool, target } = run;
  run.isOpening = false;
  if (tool.body.claims === undefined) return undefined;
  const known = HaftError.is(thrown) ? thrown : undefined;
  const cause = whyUnopened(thrown, [target.spec, target.name]);
  const why = `${cause}${known?.hint === undefined ? "" : ` ${known.hint}`}`.replace(/\.$/, "");
  const again = /\btry again$/i.test(why) ? "" : " The next call on it tries again.";
  const message = `Did not run \`${tool.name}\`: the target "${target.name}" could not be opened: ${why}.${again}`;
  return ended(
    "failed",
    fail(known?.code ?? "BACKEND_UNAVAILABLE", message, { details: { ...known?.details, target: target.name } }),
  );
}

/** What the error of a target that could not be opened says, without its beginning: the caller names the target. */
export function whyUnopened(thrown: unknown, names: readonly (string | undefined)[]): string {
  const message = messageOf(thrown);
  const [, name, why = message] = /^(?:Could not reach|Did not open) "([^"]*)": (.*)$/s.exec(message) ?? [];
  return names.includes(name) ? why : message;
}
