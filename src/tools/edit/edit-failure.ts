/** The refusals of the edit tool. */
import { type EditPlan, type Hint, MAX_REPLACED_PLACES, placeAt, type UnitText } from "../../engines/edit/index.js";
import { fail, type ToolResult } from "../../kernel/index.js";
import { codePointAt, type TextForm } from "../../text/index.js";
import { quoted, refusePath } from "../shared/path-input.js";
import type { FileNow, Freshness } from "../shared/read-state.js";
import { refuseText } from "../shared/redaction-placeholder.js";
import type { EditData, EditInput } from "./contract.js";

/** Refuses what is wrong for any file: texts that are empty, equal, or must not be written. */
export function refuseEditInput(input: EditInput): ToolResult<never> | undefined {
  const { path, edits } = input;
  const bad = refusePath(path, "edit");
  if (bad !== undefined) return bad;
  if (edits.length === 0) return fail("EDIT_EMPTY", `Did not edit ${quoted(path)}: \`edits\` is empty.`);
  for (const [index, { oldText, newText }] of edits.entries()) {
    const which = numbered(index, edits.length);
    const details = edits.length === 1 ? {} : { edit: index + 1 };
    if (oldText === "")
      return fail("EDIT_EMPTY", `Did not edit ${quoted(path)}: \`oldText\`${which} is empty.`, { details });
    if (oldText === newText) {
      const message = `Did not edit ${quoted(path)}: \`oldText\` and \`newText\`${which} are the same.`;
      return fail("EDIT_IDENTICAL", message, { details });
    }
    const refused = refuseText(newText, "newText", "edit", path) ?? refuseText(oldText, "oldText", "edit", path);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

const HINTS: Readonly<Record<Hint, string>> = {
  gutter: "`oldText` seems to include the line numbers that `read` prints. Send the lines without them.",
  escaped:
    "It has an escape sequence, such as `\\n`, where the file has the character itself, such as a line break. Send the character.",
  unescaped:
    "The file has an escape sequence, such as `\\n`, where `oldText` has the character itself, such as a line break. Send both characters.",
};

const OTHER_ENDINGS =
  " The file has mixed line endings, and a line feed in `oldText` matches all of them; `\\r\\n` matches CRLF only.";

export function gateRefusal(verdict: Exclude<Freshness, "fresh">, path: string, now: FileNow): ToolResult<never> {
  const details = { path, ...factsOf(now) };
  return verdict === "unread"
    ? fail("FS_NOT_READ", `Did not edit ${quoted(path)}: it has not been read in this session.`, { details })
    : fail("FS_STALE", `Did not edit ${quoted(path)}: it has changed since it was read.`, { details });
}

interface Circumstances {
  /** The file has changed since the session read it. */
  readonly isStale: boolean;
  /** The file is not text. */
  readonly isBinary: boolean;
  readonly form: TextForm;
  readonly now: FileNow;
}

/** Why the edits were not made. */
export function planFailure(
  plan: Exclude<EditPlan, { kind: "applied" }>,
  input: EditInput,
  { isStale, isBinary, form, now }: Circumstances,
): ToolResult<EditData> {
  const start = `Did not edit ${quoted(input.path)}: `;
  const count = input.edits.length;
  if (plan.kind === "no-change") {
    return fail("EDIT_NO_CHANGE", `${start}it already has this content.`, { details: { path: input.path } });
  }
  if (plan.kind === "overlap") {
    const edits = plan.edits.map((edit) => edit + 1);
    const message = `${start}edits ${edits.join(" and ")} overlap. Merge them into one.`;
    return fail("EDIT_OVERLAP", message, { details: { edits } });
  }
  const which = numbered(plan.edit, count);
  const edit = count === 1 ? {} : { edit: plan.edit + 1 };
  if (plan.kind === "ambiguous") {
    const { lines } = plan;
    const on = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${plan.hasMoreLines ? " …" : ""}`;
    const where = `${start}\`oldText\`${which} occurs ${plan.count} times, on ${on}`;
    const message =
      input.replaceAll === true
        ? `${where}, and at most ${MAX_REPLACED_PLACES} are replaced by one call. Use a command instead.`
        : `${where}. Add surrounding lines until it is unique, or set \`replaceAll\`.${plan.hasOtherEndings ? OTHER_ENDINGS : ""}`;
    return fail("EDIT_AMBIGUOUS", message, { details: { ...edit, lines, count: plan.count } });
  }
  if (plan.kind === "not-encodable") {
    const { encoding, confident } = form;
    const name = `${encoding}${confident ? "" : " (guessed)"}`;
    const lacks = `${quoted(plan.char)} (${codePointAt(plan.char)})`;
    const problem = `\`newText\`${which} contains ${lacks}, which the file's encoding, ${name}, cannot represent`;
    return fail("CALL_INVALID", `${start}${problem}. Omit it, or \`write\` the whole file, which makes it UTF-8.`, {
      details: { ...edit, parameter: "newText", problem },
    });
  }
  if (isBinary) {
    const why = `it is a binary file (${now.info.size} bytes) and does not contain \`oldText\`${which}`;
    const next = "Change it with a command, for example a script that works on bytes, or regenerate it from its source";
    return fail("FS_NOT_TEXT", `${start}${why}. ${next}.`, { details: { ...edit, path: input.path } });
  }
  const { nearest } = plan;
  if (isStale) {
    const [region] = nearest;
    const message = `${start}it has changed since it was read and no longer contains \`oldText\`${which}.`;
    return fail("FS_STALE", message, {
      details: { ...edit, path: input.path, ...(region === undefined ? {} : { region }), nearest, ...factsOf(now) },
    });
  }
  const hint = plan.hint === undefined ? "" : ` ${HINTS[plan.hint]}`;
  const message = `${start}\`oldText\`${which} was not found.${hint}`;
  return fail("EDIT_NOT_FOUND", message, { details: { ...edit, nearest } });
}

/** Refuses an edit whose file keeps changing, with the current content of the place. */
export function overtaken(
  input: EditInput,
  { text, plan }: { readonly text: UnitText; readonly plan: EditPlan },
): ToolResult<never> {
  const found =
    plan.kind === "applied"
      ? placeAt(text, plan.ranges[0]!.line, input.edits[0]!.oldText)
      : plan.kind === "not-found"
        ? plan.nearest[0]
        : undefined;
  const message = `Did not edit ${quoted(input.path)}: another program changed it twice during this call.`;
  const details = { path: input.path, ...(found === undefined ? {} : { region: found }) };
  return fail("FS_STALE", message, { details });
}

function factsOf({ info, sha256 }: FileNow): Readonly<Record<string, unknown>> {
  return { sizeBytes: info.size, modifiedMs: info.modifiedMs, ...(sha256 === undefined ? {} : { sha256 }) };
}

function numbered(index: number, count: number): string {
  return count === 1 ? "" : ` of edit ${index + 1}`;
}
