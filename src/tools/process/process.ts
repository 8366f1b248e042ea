import {
  type Claim,
  type ClaimContext,
  defineTool,
  elapsedMs,
  fail,
  type JobInfo,
  type Lifetime,
  ok,
  type ShellHandle,
  type ToolContext,
  type ToolResult,
  type Truncation,
  type WaitingFor,
  withTimeout,
} from "../../kernel/index.js";
import { byteSize } from "../../text/index.js";
import { newOutput } from "../shared/job-output.js";
import { rethrowWithGivenPath } from "../shared/unexpanded-path.js";
import {
  type JobData,
  type NewOutput,
  PROCESS_LIMITS,
  type ProcessAction,
  type ProcessData,
  type ProcessInput,
  type ProcessLimits,
  processSchema,
} from "./contract.js";
import { inputData } from "./input-data.js";
import { refuseProcess } from "./process-input.js";

/** How long a start waits for first output or an immediate failure. */
const START_MS = 100;
/** Extra time after the first output. */
const SETTLE_MS = 1;
/** How often a wait checks whether the job waits for input. */
const POLL_INTERVAL_MS = 1_000;
/** Time for a stop and the last read beside the wait. */
const DEADLINE_MARGIN_MS = 12_000;
/** Output directory of a dialect that stores output in the workspace. */
const WORKSPACE_DIRECTORY = ".indus-process";

/**
 * Background commands: started, listed, polled, waited for, written to, signalled and stopped. A job that has ended stays in
 * the list with its exit code and output.
 *
 * Each session gets output once: what is new, at most the last `maxNewBytes`; if there is more, all of it is stored as an
 * artifact.
 *
 * A write waits at most 1 s for a job that does not read; the rest is reported and has to be sent again.
 *
 * Fails with `CALL_INVALID`, `JOB_UNKNOWN`, `JOB_INPUT_CLOSED`, `SHELL_SPAWN` or `BACKEND_UNSUPPORTED`. A cancelled wait stops
 * nothing.
 */
export const processTool = defineTool({
  name: "process",
  description: `Background commands. start returns a job id; poll and wait return new output (the last ${byteSize(PROCESS_LIMITS.maxNewBytes)}); write without \`input\` closes stdin; stop kills the process tree.`,
  input: processSchema,
  effect: "write",
  limits: PROCESS_LIMITS,
  deadlineMs: (input: ProcessInput, limits: ProcessLimits) =>
    (input.action === "wait" ? waitOf(input, limits) : 0) + DEADLINE_MARGIN_MS + START_MS,
  annotations: { title: "Background commands", destructive: true, openWorld: true },
  claims: (input: ProcessInput, context) => refuseProcess(input) ?? CLAIMS[input.action](input, context),
  run: async (input: ProcessInput, ctx): Promise<ToolResult<ProcessData>> => RUN[input.action](input, ctx),
});

type Ctx = ToolContext<ProcessLimits>;

const ofJob =
  (action: "read" | "signal" | "stop") =>
  ({ id }: ProcessInput): readonly Claim[] => [{ kind: "job", action, id: id ?? "" }];

const CLAIMS: Readonly<
  Record<ProcessAction, (input: ProcessInput, context: ClaimContext<ProcessLimits>) => readonly Claim[]>
> = {
  start: startClaims,
  list: () => [{ kind: "job", action: "list" }],
  poll: ofJob("read"),
  wait: ofJob("read"),
  write: ({ id = "", input = "" }) => [{ kind: "input", to: "job", id, text: input }],
  signal: ofJob("signal"),
  stop: ofJob("stop"),
};

const RUN: Readonly<Record<ProcessAction, (input: ProcessInput, ctx: Ctx) => Promise<ToolResult<ProcessData>>>> = {
  start,
  list,
  poll: onJob(async (_input, ctx, job) => shownJob("poll", ctx, job)),
  wait: onJob(wait),
  write: onJob(write),
  signal: onJob(signal),
  stop: onJob(stop),
};

function startClaims(input: ProcessInput, context: ClaimContext<ProcessLimits>): readonly Claim[] {
  const cwd = cwdOf(input, context);
  const command: Claim = {
    kind: "command",
    command: input.command ?? "",
    cwd,
    background: lifetimeOf(input, context),
    ...(input.input === undefined ? {} : { input: input.input }),
  };
  if (context.limits.outputLocation === "state") return [command];
  const path = outputDirectory(cwd);
  return [command, { kind: "file", path, access: ["write", "create"], scope: "tree" }];
}

function lifetimeOf({ lifetime }: ProcessInput, { limits }: { readonly limits: ProcessLimits }): Lifetime {
  return lifetime ?? limits.lifetime;
}

function cwdOf(input: ProcessInput, context: Pick<ClaimContext, "cwd" | "resolve">): string {
  return input.cwd === undefined ? context.cwd : context.resolve(input.cwd);
}

function outputDirectory(cwd: string): string {
  return `${cwd === "/" ? "" : cwd}/${WORKSPACE_DIRECTORY}`;
}

async function start(input: ProcessInput, ctx: Ctx): Promise<ToolResult<ProcessData>> {
  const cwd = cwdOf(input, ctx);
  const options = {
    cwd,
    lifetime: lifetimeOf(input, ctx),
    ...(input.input === undefined ? {} : { input: new TextEncoder().encode(input.input) }),
    ...(ctx.limits.outputLocation === "workspace" ? { outputDirectory: outputDirectory(cwd) } : {}),
  };
  const job = await ctx.shell
    .spawn(input.command ?? "", options)
    .catch((thrown: unknown) => rethrowWithGivenPath(thrown, input.cwd, ctx));
  ctx.emit({ kind: "job-started", job: job.id, command: input.command ?? "" });
  await untilFirstOutput(ctx, job);
  return shownJob("start", ctx, job);
}

/** Waits for the first output or the end. */
async function untilFirstOutput(ctx: Ctx, job: ShellHandle): Promise<void> {
  const untilMs = elapsedMs(ctx.clock) + START_MS;
  let isOver = false;
  const end = job.result.then(() => {
    isOver = true;
  });
  for (
    let pauseMs = 1;
    !isOver && !ctx.signal.aborted && elapsedMs(ctx.clock) < untilMs;
    pauseMs = Math.min(pauseMs * 1.2, 10)
  ) {
    await waitFor(ctx, pauseMs, end);
    const [stdout, stderr] = await Promise.all([job.output("stdout", 0, 1), job.output("stderr", 0, 1)]);
    if (stdout.bytes.length + stderr.bytes.length > 0) {
      await waitFor(ctx, SETTLE_MS, end);
      return;
    }
  }
}

async function list(input: ProcessInput, ctx: Ctx): Promise<ToolResult<ProcessData>> {
  const { limits, session } = ctx;
  const isOfHost = (one: JobInfo) => limits.lists === "host" && one.adopted !== "host";
  const isShown = (one: JobInfo) => input.all === true || isOfHost(one) || one.session === session.id;
  const all = (await ctx.shell.jobs()).filter(isShown);
  const ended = all.filter(({ status }) => status !== "running");
  const omitted = new Set(ended.slice(0, Math.max(0, ended.length - limits.maxEnded)));
  const nowMs = ctx.clock.now();
  const jobs = all.filter((one) => !omitted.has(one)).map((one) => jobData(one, nowMs));
  const data: ProcessData = { action: "list", jobs, ...(omitted.size === 0 ? {} : { omitted: omitted.size }) };
  return ok(data, { structured: data });
}

type OnJob = (input: ProcessInput, ctx: Ctx, job: ShellHandle) => Promise<ToolResult<ProcessData>>;

/** Attaches to the job of the call, or fails. */
function onJob(act: OnJob) {
  return async (input: ProcessInput, ctx: Ctx): Promise<ToolResult<ProcessData>> => {
    const id = input.id ?? "";
    const job = await ctx.shell.attach(id);
    if (job !== null) return act(input, ctx, job);
    return fail("JOB_UNKNOWN", `There is no job "${id}" here. \`list\` shows the jobs.`, { details: { id } });
  };
}

async function wait(input: ProcessInput, ctx: Ctx, job: ShellHandle): Promise<ToolResult<ProcessData>> {
  const startedMs = elapsedMs(ctx.clock);
  const untilMs = startedMs + waitOf(input, ctx.limits);
  let isOver = false;
  const result = job.result.then(() => {
    isOver = true;
  });
  for (
    let leftMs = untilMs - startedMs;
    leftMs > 0 && !isOver && !ctx.signal.aborted;
    leftMs = untilMs - elapsedMs(ctx.clock)
  ) {
    await waitFor(ctx, Math.min(POLL_INTERVAL_MS, leftMs), result);
    // A job that waits for input will not end by itself.
    if (!isOver && (await waitingOf(job)) !== undefined) break;
  }
  return shownJob(
    "wait",
    ctx,
    job,
    isOver ? {} : { waitedMs: Math.max(0, Math.round(elapsedMs(ctx.clock) - startedMs)) },
  );
}

async function write(input: ProcessInput, ctx: Ctx, job: ShellHandle): Promise<ToolResult<ProcessData>> {
  const { input: given } = input;
  if (given === undefined) {
    await job.closeInput();
    await waitFor(ctx, START_MS, job.result);
    return shownJob("write", ctx, job, { inputClosed: true });
  }
  const bytes = new TextEncoder().encode(given);
  const taken = await job.write(bytes, { waitMs: POLL_INTERVAL_MS, signal: ctx.signal });
  await waitFor(ctx, START_MS, job.result);
  return shownJob("write", ctx, job, inputData(bytes, taken));
}

async function signal(input: ProcessInput, ctx: Ctx, job: ShellHandle): Promise<ToolResult<ProcessData>> {
  const sent = (input.signal ?? "INT").toUpperCase().replace(/^SIG/, "");
  const { survivors } = await job.kill(sent, { once: true });
  await waitFor(ctx, START_MS, job.result);
  const isRunning = (await job.info()).status === "running";
  return shownJob("signal", ctx, job, { sent, survivors: isRunning ? survivors : [] });
}

async function stop(_input: ProcessInput, ctx: Ctx, job: ShellHandle): Promise<ToolResult<ProcessData>> {
  const tree = await job.kill("TERM");
  if (tree.state !== "alive") await waitFor(ctx, POLL_INTERVAL_MS, job.result);
  const answer = await shownJob("stop", ctx, job, { survivors: tree.survivors, endedBy: tree.endedBy });
  if (ctx.limits.stopDeletes && tree.state !== "alive") await job.forget?.();
  return answer;
}

/** The current state of the job, with its new output. */
async function shownJob(
  action: ProcessAction,
  ctx: Ctx,
  job: ShellHandle,
  more: Partial<ProcessData> = {},
): Promise<ToolResult<ProcessData>> {
  // The state first, so that all output before an end is read.
  const info = await job.info();
  if (info.status !== "running") ctx.emit({ kind: "job-ended", job: job.id, status: info.status });
  const { stdout, stderr } = await newOutput(ctx, job, info.startedMs);
  const waitingFor = info.status === "running" ? await waitingOf(job) : undefined;
  const data: ProcessData = {
    action,
    job: jobData(info, ctx.clock.now()),
    stdout,
    stderr,
    ...(waitingFor === undefined ? {} : { waitingFor }),
    ...more,
  };
  return ok(data, {
    structured: { ...data, stdout: sizesOf(stdout), stderr: sizesOf(stderr) },
    truncations: [
      ...truncationOf(`new stdout of ${job.id}`, stdout),
      ...truncationOf(`new stderr of ${job.id}`, stderr),
    ],
  });
}

/** A job as reported to a model. */
function jobData(info: JobInfo, nowMs: number): JobData {
  const { id, command, lifetime, status, exit, endedBy, adopted, startedMs, endedMs, outputBytes } = info;
  return {
    id,
    command,
    lifetime,
    status,
    exitCode: exit?.by === "code" ? exit.code : exit?.by === "status" ? exit.status : null,
    signal: exit?.by === "signal" ? exit.signal : null,
    ...(exit?.by === "status" && exit.status > 128 ? { ambiguous: true } : {}),
    ...(endedBy === undefined ? {} : { endedBy }),
    ...(adopted === undefined ? {} : { adopted }),
    ageMs: Math.max(0, Math.round((endedMs ?? nowMs) - startedMs)),
    outputBytes,
  };
}

async function waitingOf(job: ShellHandle): Promise<WaitingFor | undefined> {
  return (await job.waiting?.()) ?? undefined;
}

function sizesOf({ text: _, ...sizes }: NewOutput) {
  return sizes;
}

function truncationOf(
  what: string,
  { newBytes, omittedBytes: dropped, droppedBytes: lost, artifact }: NewOutput,
): readonly Truncation[] {
  if (dropped + lost === 0) return [];
  const next =
    artifact === undefined ? {} : { artifact, next: `\`read\` or \`grep\` "artifact:${artifact}" for all of it.` };
  return [{ what, producedBytes: newBytes + lost, keptBytes: newBytes - dropped, ...next }];
}

function waitOf(input: ProcessInput, limits: ProcessLimits): number {
  return Math.min(Math.floor(input.timeoutMs ?? limits.defaultWaitMs), limits.maxWaitMs);
}

/** Waits for `work`, no longer than `ms` and no longer than the call. */
async function waitFor(ctx: Ctx, ms: number, work: Promise<unknown>): Promise<void> {
  await withTimeout<unknown>(
    { clock: ctx.clock, ms, signal: ctx.signal },
    () => work,
    () => undefined,
  );
}
