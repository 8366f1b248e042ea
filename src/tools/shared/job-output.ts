/** The output of a job since the last report: each session has its own position in each stream. */
import { elapsedMs, type OutputSeen, type ShellHandle, type ToolContext } from "../../kernel/index.js";
import { concatBytes, decodeText, incompleteTailLength, omitOverwritten, utf8TailStart } from "../../text/index.js";
import type { NewOutput, ProcessLimits } from "../process/contract.js";
import { keepWhole } from "./output-recorder.js";

type StreamName = "stdout" | "stderr";

/** Bytes of one read. */
const READ_BYTES = 1_048_576;
/**
 * Bytes of a stream that one call reads; a job may print faster than it is read. Half of what a job stores: the copies of a
 * few polls need disk space too.
 */
const MAX_TRANSFER_BYTES = 32 * 1_048_576;
/** No more is read after this. */
const MAX_READ_MS = 2_000;

/** Records that the session has seen the output up to these positions. */
export function markReported({ session }: Pick<ToolContext, "session">, id: string, seen: OutputSeen): void {
  session.outputsSeen.set(id, seen);
}

/** Reads the new output of both streams and records it as reported. An incomplete character at the end is left for the next call. */
export async function newOutput(
  ctx: ToolContext<ProcessLimits>,
  job: ShellHandle,
  startedMs: number,
): Promise<{ readonly stdout: NewOutput; readonly stderr: NewOutput }> {
  const seen = ctx.session.outputsSeen.get(job.id);
  // The id of a job that was removed is used again, and a session may outlive both jobs.
  const isSame = seen !== undefined && (seen.startedMs ?? startedMs) === startedMs;
  const before = isSame ? seen : { stdout: 0, stderr: 0 };
  const [stdout, stderr] = await Promise.all([
    readNew(ctx, job, "stdout", before.stdout),
    readNew(ctx, job, "stderr", before.stderr),
  ]);
  markReported(ctx, job.id, { startedMs, stdout: stdout.next, stderr: stderr.next });
  return { stdout: stdout.output, stderr: stderr.output };
}

async function readNew(ctx: ToolContext<ProcessLimits>, job: ShellHandle, stream: StreamName, from: number) {
  const { maxNewBytes: maxBytes, redraws } = ctx.limits;
  const untilMs = elapsedMs(ctx.clock) + MAX_READ_MS;
  let at = from;
  let droppedBytes = 0;
  let transferredBytes = 0;
  let ended = false;
  /** The latest, never much more than is shown. */
  let latest = new Uint8Array();
  let sink: Awaited<ReturnType<typeof openSink>>;
  for (;;) {
    const part = await job.output(stream, at, READ_BYTES);
    ended = part.ended;
    droppedBytes += part.droppedBytes;
    at = part.next;
    if (part.bytes.length === 0) {
      if (part.droppedBytes > 0) continue;
      break;
    }
    if (sink === undefined && transferredBytes + part.bytes.length > maxBytes && transferredBytes <= maxBytes)
      sink = await openSink(ctx, `new ${stream} of ${job.id}`, latest);
    await sink?.write(part.bytes);
    transferredBytes += part.bytes.length;
    const joined = concatBytes([latest, part.bytes]);
    latest = new Uint8Array(joined.subarray(Math.max(0, joined.length - maxBytes - 4)));
    if (ended || transferredBytes >= MAX_TRANSFER_BYTES || elapsedMs(ctx.clock) > untilMs) break;
  }
  const held = ended ? 0 : incompleteTailLength(latest);
  const whole = latest.subarray(0, latest.length - held);
  const shown =
    whole.length === transferredBytes - held && whole.length <= maxBytes
      ? whole
      : whole.subarray(utf8TailStart(whole, maxBytes));
  const newBytes = transferredBytes - held;
  const text = decodeText(shown, "utf-8").text;
  const drawn = redraws === "keep" ? { text, frames: 0 } : omitOverwritten(text);
  const kept = await sink?.end();
  const artifact =
    drawn.frames > 0 && sink === undefined ? await keepWhole(ctx, `new ${stream} of ${job.id}`, whole) : kept;
  const isOmitted = drawn.frames > 0 && artifact !== undefined;
  const output: NewOutput = {
    text: isOmitted ? drawn.text : text,
    ...(isOmitted ? { overwritten: drawn.frames } : {}),
    newBytes,
    omittedBytes: newBytes - shown.length,
    droppedBytes,
    ...(artifact === undefined ? {} : { artifact }),
    ...(transferredBytes >= MAX_TRANSFER_BYTES && !ended ? { more: true } : {}),
  };
  return { output, next: at - held };
}

/** An artifact for what one result cannot show; if it cannot be stored, the output is only truncated. */
async function openSink(ctx: ToolContext, what: string, first: Uint8Array) {
  try {
    const writer = await ctx.artifacts.create({ what });
    let isWhole = true;
    const write = async (bytes: Uint8Array): Promise<void> => {
      await writer.write(bytes).catch(() => {
        isWhole = false;
      });
    };
    if (first.length > 0) await write(first);
    return {
      write,
      async end(): Promise<string | undefined> {
        await writer.end().catch(() => {
          isWhole = false;
        });
        return isWhole ? writer.id : undefined;
      },
    };
  } catch {
    return undefined;
  }
}
