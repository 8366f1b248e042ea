import type { Captured, StreamData } from "../../kernel/index.js";
import { decodeText, incompleteTailLength } from "../../text/index.js";
import type { RecordedStream } from "./artifact-sink.js";

/**
 * What a stream shows: decoded as UTF-8, a part of a character at the cut left out and counted with the rest. While nothing
 * is cut all of it is the head.
 */
export function streamData(captured: Captured, recorded: RecordedStream | undefined): StreamData {
  const { head, tail, produced, dropped } = captured;
  const artifact = recorded?.artifact ?? captured.artifact;
  const isWhole = dropped === 0;
  const shownHead = isWhole ? joined(head, tail) : head.subarray(0, head.length - incompleteTailLength(head));
  const shownTail = isWhole ? tail.subarray(tail.length) : tail.subarray(partialStart(tail));
  const [headText, tailText] = [decodeText(shownHead, "utf-8"), decodeText(shownTail, "utf-8")];
  const invalid = headText.replaced + tailText.replaced;
  return {
    head: headText.text,
    tail: tailText.text,
    notable: [],
    bytes: produced,
    dropped: produced - shownHead.length - shownTail.length,
    ...(artifact === undefined || isWhole ? {} : { artifact, ...gapOf(recorded) }),
    ...(invalid === 0 ? {} : { invalid }),
  };
}

function gapOf(recorded: RecordedStream | undefined): Pick<StreamData, "artifactBytes"> {
  const hasGap = recorded !== undefined && recorded.keptBytes < recorded.producedBytes;
  return hasGap ? { artifactBytes: recorded.keptBytes } : {};
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  if (tail.length === 0) return head;
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

/** Bytes at the start that end a character which was cut off. */
function partialStart(tail: Uint8Array): number {
  let start = 0;
  while (start < 3 && start < tail.length && (tail[start]! & 0xc0) === 0x80) start++;
  return start;
}
