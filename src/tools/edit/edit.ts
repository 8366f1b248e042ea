/**
 * The edit tool: the lock, the read gate, one retry when another program changes the file meanwhile, and the atomic write;
 * then the result, and at the end the refusals. The edits are planned by `src/engines/edit`; docs/reference/edit.md shows how
 * a text is matched, and docs/decisions/017-careful-edits.md says why.
 */
import {
  CR_SYMBOL,
  diffOfEdit,
  type EditDiff,
  type EditPlan,
  MAX_REPLACED_PLACES,
  placeAt,
  planEdits,
  UnitText,
} from "../../engines/edit/index.js";
import {
  type Claim,
  type ClaimContext,
  defineTool,
  type FileChange,
  fail,
  HaftError,
  ok,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { byteSize, codePointAt, decodeText, detectTextForm, isBinary } from "../../text/index.js";
import { backUp, backupParts, backupSkipped, withBackup } from "../shared/backup.js";
import { fileFailure, refuseKind } from "../shared/file-failure.js";
import { lookAlikeClaims, withNearPaths } from "../shared/near-failure.js";
import { fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { type FileNow, type FilePlace, factsOf, freshness, recordChange, refuseByGate } from "../shared/read-state.js";
import { refuseText } from "../shared/redaction-placeholder.js";
import { refuseTrailingSlash } from "../shared/trailing-slash.js";
import { EDIT_LIMITS, type EditData, type EditInput, type EditLimits, editSchema } from "./contract.js";

type EditContext = ToolContext<EditLimits>;
type EditResult = ToolResult<EditData>;
type AppliedPlan = Extract<EditPlan, { kind: "applied" }>;

const MAX_TRIES = 2;

/** Milliseconds of work before yielding to the event loop. */
const YIELD_AFTER_MS = 25;

/** The largest file that is edited. */
const MAX_EDITED_BYTES = 128 * 1024 * 1024;

/** Ranges that the structured part of a result lists; the count has the rest. */
const MAX_STRUCTURED_RANGES = 50;

/**
 * Replaces texts in a file, all or none, each matched against the original. `oldText` is the proof that the caller knows
 * the place, so no read is needed before; it must be unique unless `replaceAll`. Only the bytes of the reported ranges change.
 * Where the diff does not show all of the change, the old bytes of a file of up to `maxBackupBytes` are stored as an artifact
 * that `details.backup` names; a larger file is not stored.
 *
 * One edit at a time works on a file. When another program changes it meanwhile, the edit is tried once more on the new
 * content.
 *
 * Fails with `EDIT_NOT_FOUND` (the nearest places in `details`), `EDIT_AMBIGUOUS`, `EDIT_OVERLAP`, `EDIT_IDENTICAL`,
 * `EDIT_EMPTY`, `EDIT_NO_CHANGE`, and with `FS_STALE` when the file changed since it was read and the place is gone.
 */
export const editTool = defineTool({
  name: "edit",
  description: `Replace \`oldText\`, which must be unique in the file unless \`replaceAll\`, with the literal \`newText\`; all \`edits\` of a call are matched against the original. Line endings, whitespace and uniform indentation may differ. Returns a diff of at most ${byteSize(EDIT_LIMITS.maxDiffBytes)}.`,
  input: editSchema,
  effect: "write",
  limits: EDIT_LIMITS,
  annotations: { title: "Edit", destructive: true },
  claims: (input: EditInput, context) => refuseInput(input) ?? claimsOf(input, context),
  run: runEdit,
  preview: previewEdit,
});

/** Refuses what is wrong for any file: texts that are empty, equal, or must not be written. */
function refuseInput(input: EditInput): ToolResult<never> | undefined {
  const { path, edits } = input;
  const start = `Did not edit ${quoted(path)}: `;
  const bad = refusePath(path, "edit");
  if (bad !== undefined) return bad;
  if (edits.length === 0) return fail("EDIT_EMPTY", `${start}\`edits\` is empty.`);
  for (const [index, { oldText, newText }] of edits.entries()) {
    const { which, details } = naming(index, input);
    if (oldText === "") return fail("EDIT_EMPTY", `${start}\`oldText\`${which} is empty.`, { details });
    if (oldText === newText)
      return fail("EDIT_IDENTICAL", `${start}\`oldText\` and \`newText\`${which} are the same.`, { details });
    const refused = refuseText(newText, "newText", "edit", path) ?? refuseText(oldText, "oldText", "edit", path);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function claimsOf(input: EditInput, context: ClaimContext<EditLimits>): readonly Claim[] {
  const path = context.resolve(input.path);
  return [{ kind: "file", path, access: ["read", "write"], scope: "self" }, ...lookAlikeClaims(path, context)];
}

async function runEdit(input: EditInput, ctx: EditContext): Promise<EditResult> {
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
async function editWithRetry(input: EditInput, ctx: EditContext, place: FilePlace): Promise<EditResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await editOnce(input, ctx, place);
    } catch (thrown) {
      if (!HaftError.is(thrown, "FS_STALE")) throw thrown;
      if (tries === MAX_TRIES) return overtaken(input, ctx, place);
    }
  }
}

async function editOnce(input: EditInput, ctx: EditContext, place: FilePlace): Promise<EditResult> {
  const { bytes, now } = await readNow(ctx, place);
  const unread = refuseByGate(ctx, "edit", place, now, input.path);
  if (unread !== undefined) return unread;
  const seen = freshness(ctx, place, now);
  const { text, plan } = await planFor(input, ctx, bytes);
  if (plan.kind !== "applied") return planFailure(plan, input, text, now, seen === "stale");
  const shown = diffOfEdit(text, new UnitText(plan.bytes, text.form), plan.ranges, ctx.limits.maxDiffBytes);
  const provenance = fileProvenance(ctx, place.absolute, input.path);
  const { maxBackupBytes } = ctx.limits;
  // Removed text that the diff does not show exists nowhere else.
  const kept = shown.showsRemoved
    ? undefined
    : bytes.length > maxBackupBytes
      ? backupSkipped(bytes.length, maxBackupBytes)
      : await backUp(ctx, provenance, bytes);
  const done = await withBackup(kept, () => ctx.fs.replaceAtomic(place.absolute, plan.bytes, { sha256: now.sha256 }));
  // An edit counts as a read only for a session that had already read the file.
  const isKnown = seen === "fresh" || (ctx.limits.gate === "handle" && ctx.framework.readState?.has(place.absolute));
  if (isKnown) await recordChange(ctx, place, done.after);
  const facts = {
    path: input.path,
    replacements: plan.ranges.length,
    strategy: plan.stage,
    beforeHash: now.sha256,
    afterHash: done.after,
    added: shown.added,
    removed: shown.removed,
    merged: seen === "stale",
    reindented: plan.reindented,
    eolConverted: plan.eolConverted,
    ...(done.inPlace ? { inPlace: true } : {}),
  };
  const backup = backupParts(input.path, kept?.backup);
  const notes = notesOf(input, plan, shown, text);
  const details = { ...backup.details, ...(notes.length === 0 ? {} : { notes }) };
  return ok(
    { ...facts, ranges: plan.ranges, diff: shown.diff },
    {
      structured: { ...facts, ranges: plan.ranges.slice(0, MAX_STRUCTURED_RANGES) },
      truncations: [...diffTruncation(input.path, shown), ...backup.truncations],
      provenance,
      ...(Object.keys(details).length === 0 ? {} : { details }),
    },
  );
}

async function readNow(ctx: EditContext, { absolute }: FilePlace) {
  const reading = ctx.fs.readBytes(absolute, { maxBytes: MAX_EDITED_BYTES });
  const [info, bytes] = await Promise.all([ctx.fs.stat(absolute), reading]);
  return { bytes, now: { info: { ...info, size: bytes.length }, sha256: await ctx.digest(bytes) } };
}

async function planFor(input: EditInput, ctx: EditContext, bytes: Uint8Array) {
  const text = new UnitText(bytes, await detectTextForm(bytes));
  const options = { ...ctx.limits, replaceAll: input.replaceAll ?? false, afterSearch: yieldingTo(ctx) };
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

/** How the file was matched and written, and how to read the diff. */
function notesOf(input: EditInput, plan: AppliedPlan, shown: EditDiff, { form }: UnitText): readonly string[] {
  const notes: string[] = [];
  if (plan.byEndings)
    notes.push("The file has mixed line endings; `oldText` was matched with exactly its own line endings.");
  if (shown.showsReturns)
    notes.push(`In the diff ${CR_SYMBOL} is a carriage return: a line ending in it ends in CRLF.`);
  const isGuess = !form.confident && form.encoding !== "utf-8";
  // Only characters beyond ASCII differ between the encodings that are guessed.
  if (isGuess && input.edits.some(({ newText }) => /[^\x00-\x7f]/.test(newText)))
    notes.push(`The encoding ${form.encoding} is guessed, and \`newText\` was written in it.`);
  return notes;
}

function diffTruncation(path: string, { producedBytes, keptBytes }: EditDiff) {
  if (producedBytes <= keptBytes) return [];
  return [
    { what: `diff of ${path}`, producedBytes, keptBytes, next: "Read the file to see the rest of the added text." },
  ];
}

/** Why the edits were not made. `isStale`: the file has changed since the session read it. */
function planFailure(
  plan: Exclude<EditPlan, AppliedPlan>,
  input: EditInput,
  { bytes, form }: UnitText,
  now: FileNow,
  isStale: boolean,
): ToolResult<never> {
  const { path } = input;
  const start = `Did not edit ${quoted(path)}: `;
  if (plan.kind === "no-change")
    return fail("EDIT_NO_CHANGE", `${start}it already has this content.`, { details: { path } });
  if (plan.kind === "overlap") {
    const edits = plan.edits.map((edit) => edit + 1);
    return fail("EDIT_OVERLAP", `${start}edits ${edits.join(" and ")} overlap. Merge them into one.`, {
      details: { edits },
    });
  }
  const { which, details } = naming(plan.edit, input);
  if (plan.kind === "ambiguous") {
    const { lines, count } = plan;
    const on = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${plan.hasMoreLines ? " …" : ""}`;
    const next =
      input.replaceAll === true
        ? `, and at most ${MAX_REPLACED_PLACES} are replaced by one call. Use a command instead.`
        : `. Add surrounding lines until it is unique, or set \`replaceAll\`.${plan.hasOtherEndings ? OTHER_ENDINGS : ""}`;
    return fail("EDIT_AMBIGUOUS", `${start}\`oldText\`${which} occurs ${count} times, on ${on}${next}`, {
      details: { ...details, lines, count },
    });
  }
  if (plan.kind === "not-encodable") {
    const name = `${form.encoding}${form.confident ? "" : " (guessed)"}`;
    const character = `${quoted(plan.char)} (${codePointAt(plan.char)})`;
    const problem = `\`newText\`${which} contains ${character}, which the file's encoding, ${name}, cannot represent`;
    return fail("CALL_INVALID", `${start}${problem}. Omit it, or \`write\` the whole file, which makes it UTF-8.`, {
      details: { ...details, parameter: "newText", problem },
    });
  }
  if (isBinary(bytes, form)) {
    const why = `it is a binary file (${now.info.size} bytes) and does not contain \`oldText\`${which}`;
    const next = "Change it with a command, for example a script that works on bytes, or regenerate it from its source";
    return fail("FS_NOT_TEXT", `${start}${why}. ${next}.`, { details: { ...details, path } });
  }
  const { nearest, hint } = plan;
  if (isStale) {
    const region = nearest[0] === undefined ? {} : { region: nearest[0] };
    return fail("FS_STALE", `${start}it has changed since it was read and no longer contains \`oldText\`${which}.`, {
      details: { ...details, path, ...region, nearest, ...factsOf(now) },
    });
  }
  const message = `${start}\`oldText\`${which} was not found.${hint === undefined ? "" : ` ${hint}`}`;
  return fail("EDIT_NOT_FOUND", message, { details: { ...details, nearest } });
}

const OTHER_ENDINGS =
  " The file has mixed line endings, and a line feed in `oldText` matches all of them; `\\r\\n` matches CRLF only.";

/** Refuses an edit whose file keeps changing, with the current content of the place. */
async function overtaken(input: EditInput, ctx: EditContext, place: FilePlace): Promise<ToolResult<never>> {
  const { bytes } = await readNow(ctx, place);
  const { text, plan } = await planFor(input, ctx, bytes);
  let region: object | undefined;
  if (plan.kind === "applied") region = placeAt(text, plan.ranges[0]!.line, input.edits[0]!.oldText);
  if (plan.kind === "not-found") [region] = plan.nearest;
  return fail("FS_STALE", `Did not edit ${quoted(input.path)}: another program changed it twice during this call.`, {
    details: { path: input.path, ...(region === undefined ? {} : { region }) },
  });
}

/** How a refusal names one of several edits, in its sentence and its details. */
function naming(index: number, { edits }: EditInput) {
  return edits.length === 1
    ? { which: "", details: {} }
    : { which: ` of edit ${index + 1}`, details: { edit: index + 1 } };
}

/** The diff that the edit would return; undefined where it would fail. */
async function previewEdit(input: EditInput, ctx: ToolContext<EditLimits>): Promise<FileChange | undefined> {
  const path = ctx.resolve(input.path);
  const { bytes } = await readNow(ctx, { absolute: path, real: path });
  const { text, plan } = await planFor(input, ctx, bytes);
  if (plan.kind !== "applied") return undefined;
  const changed = new UnitText(plan.bytes, text.form);
  const { diff } = diffOfEdit(text, changed, plan.ranges, ctx.limits.maxDiffBytes);
  const [before, after] = [bytes, plan.bytes].map((one) => decodeText(one, text.form.encoding).text) as [
    string,
    string,
  ];
  return { path, before, after, diff };
}
