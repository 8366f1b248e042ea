/** Any data that the tools return, with the texts that are difficult to show. */
import { TODO_STATUSES } from "../kernel/index.js";
import { exampleInput } from "../testing/example-input.fixture.js";
import { fc } from "../testing/property.fixture.js";
import { builtinTools } from "../tools/index.js";
import { memoryBench } from "../tools/tool-bench.fixture.js";
import { count, text } from "./any-text.fixture.js";
import { bashData, readData, stream, writeData } from "./golden.fixture.js";
import { pages, responses, searches } from "./web-data.fixture.js";

const reads = fc
  .record({
    text,
    kind: fc.constantFrom("text" as const, "binary" as const, "image" as const, "artifact" as const),
    encoding: fc.constantFrom("utf-8", "utf-16le", "windows-1252", ""),
    hasBom: fc.boolean(),
    startLine: count,
    totalLines: fc.option(count),
    sizeBytes: count,
    truncatedLines: fc.array(fc.record({ line: count, bytes: count }), { maxLength: 3 }),
  })
  .chain((more) => fc.constant(readData(more.text, more)));
const pictures = fc
  .tuple(reads, fc.record({ width: count, height: count, mime: text, sizeBytes: count }), fc.boolean())
  .map(([data, shown, isAnimated]) => ({ ...data, picture: { width: 1, height: 1, isAnimated, shown } }));
const nextOffsets = fc
  .tuple(fc.oneof(reads, pictures), fc.option(count))
  .map(([data, next]) => (next === null ? data : { ...data, nextOffset: next }));
const writes = fc
  .record({ created: fc.boolean(), bytes: count, differs: fc.array(text, { maxLength: 2 }), inPlace: fc.boolean() })
  .map((more) => writeData(more));
const edits = fc.record({
  path: text,
  replacements: count,
  strategy: fc.constantFrom("exact", "line-endings", "trailing-whitespace", "whitespace", "indentation"),
  ranges: fc.array(fc.record({ line: count, before: fc.constant([0, 1]), after: fc.constant([0, 1]) }), {
    maxLength: 20,
  }),
  diff: text,
  added: count,
  removed: count,
  merged: fc.boolean(),
  reindented: fc.boolean(),
  eolConverted: fc.boolean(),
});
const lines = fc.array(fc.record({ line: count, text }), { maxLength: 3 });
const greps = fc.record({
  root: text,
  mode: fc.constantFrom("content", "files", "count"),
  hits: fc.array(
    fc.record({
      path: fc.constantFrom("a", "b\n"),
      line: count,
      text,
      truncatedBytes: count,
      before: lines,
      after: lines,
    }),
    { maxLength: 5 },
  ),
  counts: fc.array(fc.record({ path: text, count }), { maxLength: 3 }),
  why: fc.constantFrom("complete", "limit", "deadline", "cancelled"),
  limit: count,
  skipped: fc.dictionary(text, count),
  unreadable: fc.array(text, { maxLength: 8 }),
  engine: text,
});
const kinds = fc.constantFrom("file" as const, "directory" as const, "link" as const, "other" as const);
const listings = fc.record({
  path: text,
  entries: fc.array(
    fc.record(
      { name: text, kind: kinds, sizeBytes: count, target: text, error: fc.constantFrom("unreached", "unnamed") },
      { requiredKeys: ["name", "kind", "sizeBytes"] },
    ),
    { maxLength: 5 },
  ),
  total: count,
  more: fc.boolean(),
  limit: count,
  hidden: count,
});
const moves = fc.record(
  {
    from: text,
    to: text,
    kind: kinds,
    sizeBytes: count,
    target: text,
    targetChanges: fc.boolean(),
    replaced: fc.boolean(),
    replacedTarget: text,
  },
  { requiredKeys: ["from", "to", "kind", "sizeBytes", "targetChanges", "replaced"] },
);
const copies = fc.record(
  {
    from: text,
    to: text,
    source: text,
    target: text,
    sizeBytes: count,
    sha256: fc.constant("0123456789abcdef"),
    created: fc.boolean(),
    inPlace: fc.boolean(),
  },
  { requiredKeys: ["from", "to", "target", "sizeBytes", "sha256", "created"] },
);
const deletes = fc.record(
  {
    path: text,
    kind: kinds,
    sizeBytes: count,
    inside: fc.record({ files: count, directories: count, symlinks: count, others: count }),
    target: text,
    kept: fc.array(fc.record({ path: text, artifact: text, sizeBytes: count }), { maxLength: 4 }),
  },
  { requiredKeys: ["path", "kind", "sizeBytes", "inside", "kept"] },
);
const finds = fc.record(
  {
    root: text,
    entries: fc.array(fc.record({ path: text, kind: kinds }), { maxLength: 5 }),
    total: count,
    why: fc.constantFrom("complete", "limit", "deadline", "cancelled"),
    limit: count,
    skipped: fc.dictionary(text, count),
    unreadable: fc.array(text, { maxLength: 8 }),
    engine: text,
    asGlob: text,
  },
  { requiredKeys: ["root", "entries", "total", "why", "limit", "skipped", "unreadable", "engine"] },
);
const times = fc.record({ epochNs: fc.constant("1"), zone: text, format: fc.constant("iso"), text });
const streams = fc
  .record({
    head: text,
    tail: text,
    omittedBytes: fc.nat(),
    bytes: fc.nat(),
    invalid: fc.nat(),
    overwritten: fc.nat(),
    notable: fc.array(fc.record({ line: count, text }), { maxLength: 3 }),
  })
  .map((more) => stream(more.head, more));
const runs = fc
  .record({
    ended: fc.constantFrom(
      "itself" as const,
      "cancelled" as const,
      "deadline" as const,
      "output-limit" as const,
      "spawn-error" as const,
      "channel-lost" as const,
      "detached" as const,
    ),
    began: fc.constantFrom("yes" as const, "no" as const, "unknown" as const),
    exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
    signal: fc.option(fc.constantFrom("KILL", "TERM")),
    ambiguous: fc.boolean(),
    stdout: streams,
    stderr: streams,
    survivors: fc.array(
      fc.record({
        pid: fc.nat(),
        name: text,
        holds: fc.constantFrom("stdout" as const, "stderr" as const, "none" as const),
      }),
      {
        maxLength: 2,
      },
    ),
    tree: fc.constantFrom("gone" as const, "alive" as const, "unseen" as const),
    endedBy: fc.option(fc.constantFrom("TERM" as const, "KILL" as const)),
    pane: text,
    userTyped: fc.constant(true as const),
    notice: text,
    timeoutMs: fc.nat(),
  })
  .map((more) => bashData(more));
const todos = fc
  .array(fc.record({ id: text, text, status: fc.constantFrom(...TODO_STATUSES) }), { maxLength: 4 })
  .map((items) => ({
    items,
    tally: { pending: items.length, active: 0, done: 0, cancelled: 0 },
  }));

const outputs = fc.record({ text, newBytes: fc.nat(), omittedBytes: fc.nat(), droppedBytes: fc.nat(), artifact: text });
const jobs = fc.record({
  id: text,
  command: text,
  lifetime: fc.constantFrom("session", "host", "keep"),
  status: fc.constantFrom("running", "ended", "lost"),
  endedBy: fc.constantFrom("itself", "stopped", "host"),
  adopted: fc.constantFrom("call", "host"),
  exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
  signal: fc.option(fc.constantFrom("KILL", "TERM")),
  ambiguous: fc.boolean(),
  ageMs: fc.nat(),
  outputBytes: fc.nat(),
});
const processes = fc.oneof(
  fc.record({ action: fc.constant("list"), jobs: fc.array(jobs, { maxLength: 4 }), omitted: fc.nat({ max: 3 }) }),
  fc.record(
    {
      action: fc.constantFrom("start", "poll", "wait", "write", "signal", "stop"),
      job: jobs,
      stdout: outputs,
      stderr: outputs,
      waitingFor: fc.record({ pid: fc.nat(), name: text, on: fc.constantFrom("input", "terminal"), prompt: text }),
      survivors: fc.array(fc.record({ pid: fc.nat(), name: text, holds: fc.constant("none") }), { maxLength: 2 }),
      wroteBytes: fc.nat(),
      waitingBytes: fc.nat({ max: 65_536 }),
      unwritten: fc.record({ bytes: fc.nat(), from: text, why: fc.constantFrom("full", "closed") }),
      inputClosed: fc.boolean(),
      waitedMs: fc.nat(),
    },
    { requiredKeys: ["action"] },
  ),
);
const paneState = fc.record({
  pane: text,
  session: text,
  title: text,
  size: fc.tuple(count, count),
  shell: fc.constantFrom("prompt", "busy", "gone", "unknown"),
  command: text,
  alternate: fc.boolean(),
  owned: fc.boolean(),
});

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });

const memory = fc.record({
  id: text,
  key: text,
  content: text,
  category: text,
  tags: fc.array(text, { maxLength: 2 }),
  storedMs: time,
  pinned: fc.boolean(),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
});

const scheduleRun = fc.record(
  {
    id: text,
    schedule: text,
    dueMs: time,
    due: text,
    attempt: fc.integer({ min: 1, max: 9 }),
    state: fc.constantFrom("due", "begun", "succeeded", "failed", "refused", "interrupted", "skipped"),
    name: text,
    command: text,
    host: text,
    begunMs: time,
    endedMs: time,
    end: fc.record(
      { state: fc.constant("failed"), exitCode: fc.nat(255), output: text, reason: text },
      { requiredKeys: ["state"] },
    ),
  },
  { requiredKeys: ["id", "schedule", "command", "dueMs", "due", "attempt", "state"] },
);

const shownSchedule = fc.record(
  {
    id: text,
    name: text,
    timing: fc.oneof(
      fc.record({ kind: fc.constant("cron"), expression: text, zone: text }),
      fc.record({ kind: fc.constant("at"), atMs: time }),
      fc.record({ kind: fc.constant("every"), everyMs: time, fromMs: time }),
    ),
    when: text,
    command: text,
    target: text,
    cwd: text,
    timeoutMs: time,
    missed: fc.constantFrom("skip", "once", 3),
    retries: fc.nat(10),
    deleteAfterRun: fc.boolean(),
    enabled: fc.boolean(),
    autonomy: fc.constantFrom("readonly", "supervised", "full"),
    createdMs: time,
    next: fc.record({ ms: time, utc: text, local: text }),
    lastRun: scheduleRun,
  },
  {
    requiredKeys: [
      "id",
      "timing",
      "when",
      "command",
      "target",
      "cwd",
      "timeoutMs",
      "missed",
      "retries",
      "deleteAfterRun",
      "enabled",
      "autonomy",
      "createdMs",
    ],
  },
);

const runningHosts = fc.record({ hosts: fc.array(text, { maxLength: 2 }), idleMs: time }, { requiredKeys: ["hosts"] });

const changedSchedule = fc.record(
  {
    schedule: shownSchedule,
    zoneFrom: fc.constantFrom("given", "machine"),
    isApprovalOver: fc.boolean(),
    running: runningHosts,
  },
  { requiredKeys: ["schedule", "running"] },
);

const DATA: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  read: nextOffsets,
  write: writes,
  edit: edits,
  move: moves,
  copy: copies,
  delete: deletes,
  ls: listings,
  grep: greps,
  find: finds,
  time: times,
  bash: runs,
  process: processes,
  todo_set: todos,
  todo_read: todos,
  webfetch: pages,
  websearch: searches,
  http_request: responses,
  capture_pane: fc.record({ text, state: paneState, fellBack: fc.boolean() }),
  send_keys: fc.record({ state: paneState }),
  panes: fc.record({
    action: fc.constantFrom("list", "open", "close"),
    panes: fc.array(paneState, { maxLength: 3 }),
    closed: text,
  }),
  memory_store: fc.record(
    { key: text, category: text, replacedMs: time, isRedacted: fc.boolean() },
    { requiredKeys: ["key", "category", "isRedacted"] },
  ),
  memory_recall: fc.record({ query: text, entries: fc.array(memory, { maxLength: 3 }) }, { requiredKeys: ["entries"] }),
  memory_forget: fc.record({ key: text, isForgotten: fc.boolean() }),
  cron_add: changedSchedule,
  cron_update: changedSchedule,
  cron_list: fc.record({ schedules: fc.array(shownSchedule, { maxLength: 3 }), running: runningHosts }),
  cron_remove: fc.record({ id: text, name: text }, { requiredKeys: ["id"] }),
  cron_run: fc.record({ run: scheduleRun, schedule: shownSchedule, running: runningHosts }),
  cron_runs: fc.record({ runs: fc.array(scheduleRun, { maxLength: 3 }) }),
};

/** The data of a call with the required parameters, for each tool that has no generator in `DATA`. */
const SAMPLES: ReadonlyMap<string, unknown> = new Map(
  await Promise.all(
    builtinTools
      .filter(({ name }) => DATA[name] === undefined)
      .map(async ({ name, parameters }): Promise<[string, unknown]> => {
        const { data, message } = await memoryBench({ "a.txt": "one\n" }).call(name, exampleInput(parameters, "a.txt"));
        if (data === undefined)
          throw new Error(`No data of ${name} (${message}): add a generator of its data to DATA.`);
        return [name, data];
      }),
  ),
);

/** What a tool may return. */
export const dataOf = (tool: string): fc.Arbitrary<unknown> => DATA[tool] ?? dataLike(SAMPLES.get(tool));

/** Data of the shape of `sample`, with any texts and numbers. */
function dataLike(sample: unknown): fc.Arbitrary<unknown> {
  if (typeof sample === "string") return text;
  if (typeof sample === "number") return count;
  if (typeof sample === "boolean") return fc.boolean();
  if (Array.isArray(sample)) return fc.array(dataLike(sample[0]), { maxLength: 4 });
  if (typeof sample !== "object" || sample === null) return fc.constant(sample);
  return fc.record(Object.fromEntries(Object.entries(sample).map(([name, inner]) => [name, dataLike(inner)])));
}
