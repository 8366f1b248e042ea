import { type Redactor, redactedPair, redactText } from "../../kernel/index.js";
import { renderUnifiedDiff, truncateToHead } from "../../text/index.js";
import type { UndoneFile } from "./plan-undo.js";

/** Bytes of a text over which it is not compared, and of a diff over which it is truncated. */
const MAX_COMPARED_BYTES = 1024 * 1024;
const MAX_DIFF_BYTES = 16 * 1024;

/**
 * What undoing changes in a file, from what it is to what it will be, as a unified diff with secrets redacted; a line where it is
 * not text, or has a secret of several lines.
 */
export async function undoDiff({ path, before, after }: UndoneFile, redactor: Redactor | undefined): Promise<string> {
  const [old, next] = [await before(), await after()];
  const [oldText, nextText] = [textOf(old), textOf(next)];
  if (oldText === undefined || nextText === undefined)
    return `Binary or large file ${path}: ${sizeOf(old)} → ${sizeOf(next)}\n`;
  const pair = redactedPair(redactor, oldText, nextText);
  if (pair === undefined) return `File with a secret ${path}: ${sizeOf(old)} → ${sizeOf(next)}\n`;
  const diff = redactText(redactor, renderUnifiedDiff(...pair, undefined, { path }));
  // All that differs may be the secret.
  if (pair[0] === pair[1] && oldText !== nextText)
    return `A secret in ${path} changes: ${sizeOf(old)} → ${sizeOf(next)}\n`;
  const { text, omittedBytes } = truncateToHead(diff, MAX_DIFF_BYTES);
  return omittedBytes === 0 ? diff : `${text}\n[${omittedBytes} bytes of this diff are omitted]\n`;
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return "";
  if (bytes.length > MAX_COMPARED_BYTES || bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes);
}

function sizeOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "no file" : `${bytes.length} bytes`;
}
