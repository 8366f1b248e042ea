/** One stream of a command: its head, what was omitted and where it is stored, its tail. */

import { stripControls, truncateToHead, truncateToTail, utf8Length } from "../../text/index.js";
import type { StreamData } from "../../tools/bash/contract.js";
import { overwrittenFact } from "../job-lines.js";
import { counted } from "../rendering.js";

export interface ShownStream {
  readonly source: StreamData;
  readonly head: string;
  readonly tail: string;
  /** Bytes between head and tail, including those omitted at capture. */
  readonly omitted: number;
}

/** Share of the head in a truncated stream. */
const HEAD_SHARE = 0.25;
/** The least shown of a stream, however small the budget is. */
const MIN_STREAM_BYTES = 512;
/** Bytes reserved for the text around both streams. */
const FRAME_BYTES = 1_024;

/** Truncates the streams to a budget, the larger one first; the budget includes notable lines. */
export function fitStreams(
  streams: readonly [StreamData, StreamData],
  maxBytes: number,
): readonly [ShownStream, ShownStream] {
  const sizes = streams.map((one) => utf8Length(one.head) + utf8Length(one.tail));
  const notable = streams.map((one) => one.notable.reduce((sum, line) => sum + utf8Length(line.text) + 12, 0));
  const budget = maxBytes - FRAME_BYTES - (notable[0] ?? 0) - (notable[1] ?? 0);
  const [first, second] = [sizes[0] ?? 0, sizes[1] ?? 0];
  const half = Math.floor(budget / 2);
  const firstBudget = Math.max(budget - second, half);
  const secondBudget = Math.max(budget - first, half);
  return [fitStream(streams[0], firstBudget), fitStream(streams[1], secondBudget)];
}

function fitStream(source: StreamData, budget: number): ShownStream {
  const size = utf8Length(source.head) + utf8Length(source.tail);
  const most = Math.max(budget, MIN_STREAM_BYTES);
  if (size <= most) return { source, head: source.head, tail: source.tail, omitted: source.omittedBytes };
  const head = truncateToHead(source.head, Math.floor(most * HEAD_SHARE));
  const rest = source.tail === "" ? source.head.slice(head.text.length) : source.tail;
  const tail = truncateToTail(rest, most - head.keptBytes);
  const between = source.tail === "" ? 0 : head.omittedBytes;
  return { source, head: head.text, tail: tail.text, omitted: source.omittedBytes + between + tail.omittedBytes };
}

/** The rows of one stream, its label first. */
export function streamSection(label: string, shown: ShownStream): readonly string[] {
  const { source } = shown;
  if (source.bytes === 0 && shown.head === "" && shown.tail === "") return [`${label}: (empty)`];
  const head = cleaned(shown.head);
  const tail = cleaned(shown.tail);
  const removed = head.removed + tail.removed;
  const { overwritten = 0, artifact } = source;
  const facts = [
    overwritten > 0 ? overwrittenFact(overwritten, artifact) : "",
    (source.invalid ?? 0) > 0 ? `${counted(source.invalid ?? 0, "byte")} not UTF-8, shown as U+FFFD` : "",
    removed > 0 ? `${counted(removed, "control character")} removed` : "",
  ].filter((fact) => fact !== "");
  const title = facts.length === 0 ? `${label}:` : `${label} (${facts.join("; ")}):`;
  const rows = [title, ...rowOf(head.text)];
  if (shown.omitted > 0) rows.push(...gapRows(shown));
  return [...rows, ...rowOf(tail.text)];
}

function gapRows(shown: ShownStream): readonly string[] {
  const { artifact, artifactBytes, notable, bytes } = shown.source;
  const kept =
    artifactBytes === undefined
      ? `all ${counted(bytes, "byte")}`
      : `the first and last ${artifactBytes} of ${counted(bytes, "byte")}`;
  const where =
    artifact === undefined
      ? "they were not stored"
      : `\`read\` or \`grep\` the path "artifact:${artifact}" for ${kept}`;
  const gap = `[… ${counted(shown.omitted, "byte")} omitted; ${where} …]`;
  return [gap, ...notable.map((line) => `[line ${line.line}] ${cleaned(line.text).text}`)];
}

function rowOf(text: string): readonly string[] {
  const row = text.replace(/\n$/, "");
  return text === "" ? [] : [row];
}

/** Turns lone carriage returns into line feeds, so that progress output does not run together. */
function cleaned(text: string): { readonly text: string; readonly removed: number } {
  return stripControls(text.replace(/\r(?![\r\n])/g, "\n"));
}
