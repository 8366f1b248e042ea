/** The hits of a search as rows: `path:line: text`, and `path-line- text` for the lines around them. */

import { stripControls } from "../../text/index.js";
import type { GrepData, GrepHitData } from "../../tools/grep/contract.js";
import { hitPath, rowName } from "../row-name.js";

export function hitRows(data: GrepData): readonly string[] {
  if (data.mode === "files") return fileRows(data);
  if (data.mode === "count") return (data.counts ?? []).map((one) => `${hitPath(one.path)}: ${one.count}`);
  return contentRows(data.hits);
}

function fileRows(data: GrepData): readonly string[] {
  const paths = data.hits.length > 0 ? data.hits : (data.counts ?? []);
  return [...new Set(paths.map((one) => rowName(one.path)))];
}

/** Context that two hits share is shown once; a gap between groups is shown as `--`. */
function contentRows(hits: readonly GrepHitData[]): readonly string[] {
  const rows: string[] = [];
  const hasContext = hits.some((hit) => hit.before.length > 0 || hit.after.length > 0);
  let last: { readonly path: string; line: number } | undefined;
  hits.forEach((hit, index) => {
    const path = hitPath(hit.path);
    const next = hits[index + 1];
    const seen = last?.path === hit.path ? last.line : 0;
    const before = hit.before.filter((one) => one.line > seen);
    const after = hit.after.filter((one) => next?.path !== hit.path || one.line < next.line);
    const first = before[0]?.line ?? hit.line;
    if (hasContext && last !== undefined && (last.path !== hit.path || first > seen + 1)) rows.push("--");
    for (const one of before) rows.push(`${path}-${one.line}- ${shownLine(one.text)}`);
    const truncated = hit.truncatedBytes > 0 ? ` [${hit.truncatedBytes} bytes of the line omitted]` : "";
    rows.push(`${path}:${hit.line}: ${shownLine(hit.text)}${truncated}`);
    for (const one of after) rows.push(`${path}-${one.line}- ${shownLine(one.text)}`);
    last = { path: hit.path, line: after.at(-1)?.line ?? hit.line };
  });
  return rows;
}

/** A hit may span several lines; control characters are removed. */
function shownLine(text: string): string {
  return stripControls(text.replace(/\r?\n$/, "").replace(/\r$/, "")).text;
}
