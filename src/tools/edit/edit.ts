/**
 * The edit tool: the lock, the read gate, one retry when another program changes the file meanwhile, and the atomic write.
 * The edits are planned by `src/engines/edit`; docs/reference/edit.md shows how a text is matched, and
 * docs/decisions/017-careful-edits.md says why.
 */
import { diffOfEdit, planEdits, UnitText } from "../../engines/edit/index.js";
import {
  type Claim,
  type ClaimContext,
  defineTool,
  HaftError,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { detectTextForm, isBinary } from "../../text/index.js";
import { withBackup } from "../shared/backup.js";
import { fileFailure, refuseKind } from "../shared/file-failure.js";
import { lookAlikeClaims, withNearPaths } from "../shared/near-failure.js";
import { fileProvenance } from "../shared/path-input.js";
import { type FileNow, type FilePlace, freshness, passGate, recordChange } from "../shared/read-state.js";
import { refuseTrailingSlash } from "../shared/trailing-slash.js";
import { EDIT_LIMITS, type EditData, type EditInput, type EditLimits, editSchema } from "./contract.js";
import { gateRefusal, overtaken, planFailure, refuseEditInput } from "./edit-failure.js";
import { edited, keepUnshown } from "./edit-result.js";

const MAX_TRIES = 2;

/** Milliseconds of work before yielding to the event loop. */
const YIELD_AFTER_MS = 25;

/** The largest file that is edited. */
const MAX_EDITED_BYTES = 128 * 1024 * 1024;

/**
 * Replaces texts in a file, all or none, each matched against the original. `oldText` is the proof that the caller knows
 * the place, so no read is needed before; it must be unique unless `replaceAll`. Only the bytes of the reported ranges change.
 * Where the diff does not show all of the change, the old bytes of a file of up to 64 MiB are stored as an artifact that
 * `details.backup` names; a larger file is not stored.
 *
 * One edit at a time works on a file. When another program changes it meanwhile, the edit is tried once more on the new
 * content.
 *
 * Fails with `EDIT_NOT_FOUND` (the nearest places in `details`), `EDIT_AMBIGUOUS`, `EDIT_OVERLAP`, `EDIT_IDENTICAL`,
 * `EDIT_EMPTY`, `EDIT_NO_CHANGE`, and with `FS_STALE` when the file changed since it was read and the place is gone.
 */
export const editTool = defineTool({
  name: "edit",
  description:
    "Replace `oldText`, which must be unique in the file unless `replaceAll`, with the literal `newText`; or several pairs at once as `edits`, each matched against the original. Line endings, whitespace and uniform indentation may differ. Returns a diff of at most 16 KiB.",
  input: editSchema,
  effect: "write",
  limits: EDIT_LIMITS,
  annotations: { title: "Edit", destructive: true },
  claims: (input: EditInput, context) => refuseEditInput(input) ?? claimsOf(input, context),
  run: runEdit,
});

function claimsOf(input: EditInput, context: ClaimContext<EditLimits>): readonly Claim[] {
  const path = context.resolve(input.path);
  return [{ kind: "file", path, access: ["read", "write"], scope: "self" }, ...lookAlikeClaims(path, context)];
}

async function runEdit(input: EditInput, ctx: ToolContext<EditLimits>): Promise<ToolResult<EditData>> {
  const asked = { verb: "edit", givenPath: input.path, absolute: ctx.resolve(input.path) };
  try {
    return await ctx.lock(asked.absolute, {}, async ([found]) => {
      const kind = found?.kind === "absent" ? undefined : found?.kind;
      const bad = kind === undefined ? undefined : (refuseKind(kind, asked) ?? refuseTrailingSlash(kind, asked));
      return bad ?? editWithRetry(input, ctx, { absolute: asked.absolute, real: found?.real ?? asked.absolute });
    });
  } catch (thrown) {
    return withNearPaths(fileFailure(thrown, asked), asked.absolute, input.path, ctx);
  }
}

/** Retries once when another program changes the file between reading and writing. */
async function editWithRetry(
  input: EditInput,
  ctx: ToolContext<EditLimits>,
  place: FilePlace,
): Promise<ToolResult<EditData>> {
  for (let tries = 1; ; tries++) {
    try {
      return await editOnce(input, ctx, place);
    } catch (thrown) {
      if (!HaftError.is(thrown, "FS_STALE")) throw thrown;
      if (tries === MAX_TRIES) return overtaken(input, await planFor(input, ctx, await readNow(ctx, place)));
    }
  }
}

interface Content {
  readonly bytes: Uint8Array;
  readonly now: FileNow & { readonly sha256: string };
}

async function readNow(ctx: ToolContext<EditLimits>, { absolute }: FilePlace): Promise<Content> {
  const reading = ctx.fs.readBytes(absolute, { maxBytes: MAX_EDITED_BYTES });
  const [info, bytes] = await Promise.all([ctx.fs.stat(absolute), reading]);
  return { bytes, now: { info: { ...info, size: bytes.length }, sha256: await ctx.digest(bytes) } };
}

async function planFor(input: EditInput, ctx: ToolContext<EditLimits>, { bytes }: Content) {
  const text = new UnitText(bytes, await detectTextForm(bytes));
  const options = { ...ctx.limits, replaceAll: input.replaceAll ?? false, rest: yieldingTo(ctx) };
  return { text, plan: await planEdits(text, input.edits, options) };
}

/** Yields to the event loop after long work, so that a cancel arrives. */
function yieldingTo({ clock, signal }: ToolContext): () => Promise<void> {
  let sinceMs = clock.now();
  return async () => {
    if (clock.now() - sinceMs < YIELD_AFTER_MS) return;
    await new Promise<void>((resolve) => {
      clock.timer(0, resolve);
    });
    signal.throwIfAborted();
    sinceMs = clock.now();
  };
}

async function editOnce(
  input: EditInput,
  ctx: ToolContext<EditLimits>,
  place: FilePlace,
): Promise<ToolResult<EditData>> {
  const content = await readNow(ctx, place);
  const { now } = content;
  const verdict = passGate(ctx.limits.gate, "edit", ctx, place, now);
  if (verdict !== "fresh") return gateRefusal(verdict, input.path, now);
  const seen = freshness(ctx, place, now);
  const { text, plan } = await planFor(input, ctx, content);
  if (plan.kind !== "applied") {
    const { bytes, form } = text;
    return planFailure(plan, input, { isStale: seen === "stale", isBinary: isBinary(bytes, form), form, now });
  }
  const after = new UnitText(plan.bytes, text.form);
  const shown = diffOfEdit(text, after, plan.ranges, ctx.limits.maxDiffBytes);
  const kept = await keepUnshown(input, ctx, place, content.bytes, shown);
  const replace = () => ctx.fs.replaceAtomic(place.absolute, plan.bytes, { sha256: now.sha256 });
  const done = await withBackup(kept, replace);
  // An edit counts as a read only for a session that had already read the file.
  const isKnown = seen === "fresh" || (ctx.limits.gate === "handle" && ctx.framework.readState?.has(place.absolute));
  if (isKnown) await recordChange(ctx, place, done.after);
  const hashes = [now.sha256, done.after] as const;
  const provenance = fileProvenance(ctx, place.absolute, input.path);
  return edited(input, {
    plan,
    form: text.form,
    shown,
    backup: kept?.backup,
    hashes,
    seen,
    inPlace: done.inPlace,
    provenance,
  });
}
