import {
  type Claim,
  type ClaimContext,
  defineTool,
  fail,
  ok,
  type ShellResult,
  type ToolContext,
  type ToolResult,
  type Truncation,
} from "../../kernel/index.js";
import { byteSize, hasLoneSurrogate, utf8Length } from "../../text/index.js";
import type { RecordedStream } from "../shared/artifact-sink.js";
import { OutputRecorder } from "../shared/output-recorder.js";
import { quoted } from "../shared/path-input.js";
import { refuseWithoutTerminal } from "../shared/terminal-access.js";
import { cwdAsGiven, rethrowWithGivenPath } from "../shared/unexpanded-path.js";
import { AutoBackground, markShown, mayContinue, startInBackground } from "./auto-background.js";
import { bashFailure } from "./bash-failure.js";
import {
  BASH_LIMITS,
  type BashData,
  type BashInput,
  type BashLimits,
  bashSchema,
  type StreamData,
} from "./contract.js";
import { dispatchToPane, goesIntoPane } from "./pane-dispatch.js";
import { shownStreams } from "./stream-data.js";

/** Time for the shell to end the process tree after the timeout, before the call itself is ended. */
const BASH_GRACE_MS = 6_000;

/**
 * Runs one command to its end. Settles when the leader has exited, even if something it started continues: survivors are
 * named and become a job. At the time limit and on a cancel the whole process tree is ended, and the result says how.
 *
 * The first and last bytes of each stream are shown; if there is more, all of it is stored as an artifact.
 *
 * Fails with `SHELL_EXIT`, `SHELL_SIGNALLED`, `SHELL_TIMEOUT`, `SHELL_CANCELLED`, `SHELL_OUTPUT_LIMIT`, `SHELL_SPAWN` or
 * `BACKEND_UNAVAILABLE`, each with the same data as a success.
 */
export const bashTool = defineTool({
  name: "bash",
  description: `Run a shell command (\`sh -c\`); no TTY. \`cd\` does not carry over to the next call. Shows the first ${byteSize(BASH_LIMITS.headBytes)} and last ${byteSize(BASH_LIMITS.tailBytes)} of each stream; the full output is stored as an artifact. A nonzero exit code is an error.`,
  input: bashSchema,
  effect: "write",
  limits: BASH_LIMITS,
  deadlineMs: (input: BashInput, limits: BashLimits) => timeoutOf(input, limits) + BASH_GRACE_MS,
  annotations: { title: "Run a command", destructive: true, openWorld: true },
  claims: (input: BashInput, context) => refuseInput(input) ?? refusePane(input, context) ?? claimsOf(input, context),
  run: runBash,
});

function claimsOf(input: BashInput, context: ClaimContext<BashLimits>): readonly Claim[] {
  const claim: Claim = {
    kind: "command",
    command: input.command,
    cwd: cwdOf(input, context),
    ...(input.input === undefined ? {} : { input: input.input }),
    ...(input.background === true ? { background: "session" } : {}),
    ...(input.background !== true && mayContinue(context)
      ? { background: "session", detachAfter: context.limits.yieldMs ?? "input" }
      : {}),
  };
  return goesIntoPane(input, context) ? [claim, { kind: "pane", action: "open" }] : [claim];
}

function cwdOf(input: BashInput, context: Pick<ClaimContext, "cwd" | "resolve">): string {
  return input.cwd === undefined ? context.cwd : context.resolve(input.cwd);
}

function timeoutOf(input: BashInput, limits: BashLimits): number {
  return Math.min(Math.floor(input.timeoutMs ?? limits.defaultTimeoutMs), limits.maxTimeoutMs);
}

function refuseInput({ command, timeoutMs, cwd, input }: BashInput): ToolResult<never> | undefined {
  const half = "contains a lone surrogate (half a character); send whole characters";
  const most = BASH_LIMITS.maxTimeoutMs;
  const problem = (
    [
      ["command", command.trim() === "", "is empty; send a shell command"],
      ["command", command.includes("\0"), "contains a NUL byte, which no shell accepts"],
      ["command", hasLoneSurrogate(command), half],
      ["input", hasLoneSurrogate(input ?? ""), half],
      ["cwd", hasLoneSurrogate(cwd ?? ""), half],
      ["cwd", cwd === "" || cwd?.includes("\0") === true, `was ${quoted(cwd ?? "")}, which is not a directory`],
      ["timeoutMs", !isTimeout(timeoutMs), `was ${timeoutMs}; must be 1 to ${most} milliseconds`],
    ] as const
  ).find(([, isBad]) => isBad);
  if (problem === undefined) return undefined;
  const [parameter, , words] = problem;
  const text = `\`${parameter}\` ${words}`;
  return fail("CALL_INVALID", `Did not run the command: ${text}.`, { details: { parameter, problem: text } });
}

function isTimeout(timeoutMs: number | undefined): boolean {
  return timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs >= 1);
}

function refusePane(input: BashInput, context: ClaimContext<BashLimits>): ToolResult<never> | undefined {
  const needsPane = input.background === true && context.limits.background === "pane";
  return needsPane ? refuseWithoutTerminal("run the command in the background", context) : undefined;
}

async function runBash(input: BashInput, ctx: ToolContext<BashLimits>): Promise<ToolResult<BashData>> {
  const { limits } = ctx;
  if (goesIntoPane(input, ctx)) return dispatchToPane(input, cwdOf(input, ctx), ctx);
  if (input.background === true) return runInBackground(input, ctx);
  const timeoutMs = timeoutOf(input, limits);
  const keep = { head: limits.headBytes, tail: limits.tailBytes };
  const recorders = {
    stdout: new OutputRecorder(ctx, "stdout", keep.head + keep.tail, "a command", keep.head),
    stderr: new OutputRecorder(ctx, "stderr", keep.head + keep.tail, "a command", keep.head),
  };
  const autoBackground = new AutoBackground(ctx);
  const result = await ctx.shell.exec(input.command, {
    cwd: cwdOf(input, ctx),
    timeoutMs,
    keep,
    ...(input.input === undefined ? {} : { input: new TextEncoder().encode(input.input) }),
    onOutput: (stream, bytes, offset) => recorders[stream].push(bytes, offset),
    borrowsOutput: true,
    ...autoBackground.options,
  });
  autoBackground.stop();
  const [stdout, stderr] = await Promise.all([
    recorders.stdout.end(result.stdout.produced),
    recorders.stderr.end(result.stderr.produced),
  ]);
  const notable = {
    stdout: recorders.stdout.notable(result.stdout),
    stderr: recorders.stderr.notable(result.stderr),
  };
  const streams = await shownStreams(ctx, result, { stdout, stderr });
  const found = dataOf(withGivenPath(result, input, ctx), timeoutMs, {
    stdout: { ...streams.stdout, notable: notable.stdout },
    stderr: { ...streams.stderr, notable: notable.stderr },
  });
  const data = { ...found, ...autoBackground.facts(result) };
  markShown(ctx, input.command, result);
  const more = {
    structured: structuredOf(data),
    truncations: [...truncationOf("stdout", data.stdout, stdout), ...truncationOf("stderr", data.stderr, stderr)],
  };
  const failed = bashFailure(data, input, limits);
  if (failed === undefined) return ok(data, more);
  return fail(failed.code, failed.message, { data, details: failed.details, ...more });
}

/** Starts it and returns at once, with its end where that comes as soon. */
async function runInBackground(input: BashInput, ctx: ToolContext<BashLimits>): Promise<ToolResult<BashData>> {
  const { limits } = ctx;
  const keep = { head: limits.headBytes, tail: limits.tailBytes };
  const result = await startInBackground(ctx, input, cwdOf(input, ctx), keep).catch((thrown: unknown) =>
    rethrowWithGivenPath(thrown, input.cwd, ctx),
  );
  const streams = await shownStreams(ctx, result, {});
  const continues = result.ended === "detached";
  const found = dataOf(result, timeoutOf(input, limits), streams);
  const data: BashData = continues ? { ...found, detachedBy: "asked" } : found;
  markShown(ctx, input.command, result);
  const more = {
    structured: structuredOf(data),
    truncations: [...truncationOf("stdout", data.stdout, undefined), ...truncationOf("stderr", data.stderr, undefined)],
    ...(input.timeoutMs === undefined || !continues
      ? {}
      : { details: { notes: ["`timeoutMs` does not apply in the background; `process` with `stop` ends the job."] } }),
  };
  const failed = bashFailure(data, input, limits);
  if (failed === undefined) return ok(data, more);
  return fail(failed.code, failed.message, { data, ...more, details: failed.details });
}

/** A problem with `cwd` names it as the model spelled it. */
function withGivenPath(result: ShellResult, input: BashInput, ctx: ToolContext<BashLimits>): ShellResult {
  if (result.problem === undefined) return result;
  return { ...result, problem: cwdAsGiven(result.problem, input.cwd, ctx) };
}

function dataOf(result: ShellResult, timeoutMs: number, streams: Pick<BashData, "stdout" | "stderr">): BashData {
  const { exit, tree } = result;
  const exitCode = exit.by === "code" ? exit.code : exit.by === "status" ? exit.status : null;
  return {
    ended: result.ended,
    began: result.began,
    exitCode,
    signal: exit.by === "signal" ? exit.signal : null,
    ...(exit.by === "status" && exit.status > 128 ? { ambiguous: true } : {}),
    ...streams,
    survivors: tree.survivors,
    tree: tree.state,
    endedBy: tree.endedBy,
    ...(result.job === undefined ? {} : { job: result.job }),
    ...(result.problem === undefined ? {} : { problem: result.problem }),
    ...(result.pane === undefined ? {} : { pane: result.pane }),
    ...(result.userTyped === true ? { userTyped: true } : {}),
    ...(result.notice === undefined ? {} : { notice: result.notice }),
    timeoutMs,
    durationMs: Math.max(0, Math.round(result.tookMs)),
  };
}

function structuredOf({ stdout, stderr, timeoutMs: _, ...facts }: BashData) {
  const sizes = (stream: StreamData) => ({
    bytes: stream.bytes,
    omittedBytes: stream.omittedBytes,
    ...(stream.artifact === undefined ? {} : { artifact: stream.artifact }),
  });
  return { ...facts, stdout: sizes(stdout), stderr: sizes(stderr) };
}

function truncationOf(what: string, stream: StreamData, recorded: RecordedStream | undefined): readonly Truncation[] {
  const { artifact } = stream;
  if (stream.omittedBytes === 0) return artifact === undefined ? [] : overwrittenTruncation(what, stream, artifact);
  const truncation = { what, producedBytes: stream.bytes, keptBytes: stream.bytes - stream.omittedBytes };
  if (artifact === undefined)
    return [{ ...truncation, next: "Run it again with less output, or redirect the output to a file." }];
  const gap = recorded !== undefined && recorded.keptBytes < recorded.producedBytes;
  const next = `\`read\` or \`grep\` "artifact:${artifact}" for ${gap ? `${recorded.keptBytes} bytes of it` : "all of it"}.`;
  return [{ ...truncation, artifact, next }];
}

function overwrittenTruncation(
  name: string,
  { bytes, head, overwritten = 0 }: StreamData,
  artifact: string,
): readonly Truncation[] {
  const what = `${overwritten} overwritten frames of ${name}`;
  const next = `\`read\` or \`grep\` "artifact:${artifact}" for all of it.`;
  return [{ what, producedBytes: bytes, keptBytes: utf8Length(head), artifact, next }];
}
