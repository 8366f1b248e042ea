import type { Captured, ShellResult, ToolContext } from "../../kernel/index.js";
import { concatBytes, decodeText, incompleteTailLength, omitOverwritten } from "../../text/index.js";
import type { RecordedStream } from "../shared/artifact-sink.js";
import { keepWhole } from "../shared/output-recorder.js";
import type { BashLimits, StreamData } from "./contract.js";

/** Both streams as shown: without overwritten frames where the limits say so and all of it could be stored. */
export async function shownStreams(
  ctx: ToolContext<BashLimits>,
  result: Pick<ShellResult, "stdout" | "stderr">,
  recorded: { readonly stdout?: RecordedStream | undefined; readonly stderr?: RecordedStream | undefined },
): Promise<{ readonly stdout: StreamData; readonly stderr: StreamData }> {
  const shown = async (name: "stdout" | "stderr"): Promise<StreamData> => {
    const data = streamData(result[name], recorded[name]);
    return ctx.limits.redraws === "keep" ? data : withoutOverwritten(ctx, name, result[name], data);
  };
  const [stdout, stderr] = await Promise.all([shown("stdout"), shown("stderr")]);
  return { stdout, stderr };
}

async function withoutOverwritten(
  ctx: ToolContext,
  name: string,
  { head, tail }: Captured,
  data: StreamData,
): Promise<StreamData> {
  const [first, last] = [omitOverwritten(data.head), omitOverwritten(data.tail)];
  const overwritten = first.frames + last.frames;
  if (overwritten === 0) return data;
  const isWhole = data.omittedBytes === 0;
  const artifact = isWhole ? await keepWhole(ctx, `${name} of a command`, concatBytes([head, tail])) : data.artifact;
  return artifact === undefined ? data : { ...data, head: first.text, tail: last.text, overwritten, artifact };
}

/**
 * What is shown of a stream: decoded as UTF-8; a partial character at the gap is counted as omitted. While nothing
 * is omitted, all of it is the head.
 */
function streamData(captured: Captured, recorded: RecordedStream | undefined): StreamData {
  const { head, tail, produced, omittedBytes: dropped } = captured;
  const artifact = recorded?.artifact ?? captured.artifact;
  const isWhole = dropped === 0;
  const shownHead = isWhole ? concatBytes([head, tail]) : head.subarray(0, head.length - incompleteTailLength(head));
  const shownTail = isWhole ? tail.subarray(tail.length) : tail.subarray(partialStart(tail));
  const [headText, tailText] = [decodeText(shownHead, "utf-8"), decodeText(shownTail, "utf-8")];
  const invalid = headText.replaced + tailText.replaced;
  return {
    head: headText.text,
    tail: tailText.text,
    notable: [],
    bytes: produced,
    omittedBytes: produced - shownHead.length - shownTail.length,
    ...(artifact === undefined || isWhole ? {} : { artifact, ...gapOf(recorded) }),
    ...(invalid === 0 ? {} : { invalid }),
  };
}

function gapOf(recorded: RecordedStream | undefined): Pick<StreamData, "artifactBytes"> {
  const hasGap = recorded !== undefined && recorded.keptBytes < recorded.producedBytes;
  return hasGap ? { artifactBytes: recorded.keptBytes } : {};
}

/** Bytes at the start that belong to a truncated character. */
function partialStart(tail: Uint8Array): number {
  let start = 0;
  while (start < 3 && start < tail.length && (tail[start]! & 0xc0) === 0x80) start++;
  return start;
}
