/** Golden transcripts of ZeroClaw's tools for cron jobs: jobs that are listed, changed, run and removed. */
import {
  add,
  at,
  call,
  EMPTY,
  EVERY,
  EXAMPLES,
  GONE,
  HELLO,
  invalid,
  json,
  list,
  listed,
  MINUTE_MS,
  MINUTELY,
  MINUTELY_ADDED,
  NOTHING_RUNS,
  ran,
  remove,
  run,
  runs,
  stored,
  update,
  WEEKDAYS,
  WEEKDAYS_ADDED,
} from "./zeroclaw-cron-parts.js";
import { done, failed, type ZeroclawTranscript } from "./zeroclaw-shape.js";

export const ZEROCLAW_CRON_TRANSCRIPTS: readonly ZeroclawTranscript[] = [
  {
    title: "a job is added, listed, removed by its name, and is gone",
    rows: ["ZC-066", "ZC-069", "ZC-070", "ZC-071"],
    at,
    calls: [
      list({}, json([])),
      add({ schedule: WEEKDAYS, command: "ls", name: "Look" }, WEEKDAYS_ADDED),
      list(
        {},
        json([
          listed(1, {
            expression: "0 9 * * 1-5",
            schedule: WEEKDAYS,
            command: "ls",
            name: "Look",
            next_run: "2030-01-08T08:00:00Z",
          }),
        ]),
      ),
      remove({ job_id: "look" }, done("Removed cron job <job 1>")),
      remove({ job_id: "<job 1>" }, failed('There is no schedule "<job 1>". List them to see their ids.')),
      list({}, json([])),
    ],
  },
  {
    title: "a name that two jobs have is refused with their ids, and so is one that none has",
    rows: ["ZC-071", "ZC-074"],
    at,
    calls: [
      add({ schedule: EVERY, command: "ls", name: "Look" }, MINUTELY_ADDED),
      add({ schedule: EVERY, command: "ls", name: "look" }, stored(2, EVERY, "2030-01-07T08:01:00Z", MINUTELY)),
      ...["cron_remove", "cron_update", "cron_run", "cron_runs"].flatMap((name) => [
        call(name)(
          { job_id: "LOOK", patch: { enabled: true } },
          failed('2 schedules are named "LOOK": <job 1>, <job 2>. Send the id of one.'),
        ),
        call(name)(
          { job_id: "other", patch: { enabled: true } },
          failed('There is no schedule "other". List them to see their ids.'),
        ),
      ]),
      remove({ job_id: "<job 2>" }, done("Removed cron job <job 2>")),
      remove({ id: "LOOK" }, done("Removed cron job <job 1>")),
    ],
  },
  {
    title: "a job runs when it is due, and its runs are shown, the newest first",
    rows: ["ZC-070", "ZC-073", "ZC-074"],
    at,
    calls: [
      add({ schedule: EVERY, command: "echo hello" }, MINUTELY_ADDED),
      runs({ job_id: "<job 1>" }, json([])),
      runs({ job_id: "<job 1>" }, json([ran("08:01:00", "ok", HELLO)]), MINUTE_MS),
      update(
        { job_id: "<job 1>", patch: { command: "cat gone.txt" } },
        stored(1, EVERY, "2030-01-07T08:02:00Z", { next_run_local: "Monday 2030-01-07 08:02:00+00:00 UTC" }),
      ),
      list(
        {},
        json([
          listed(1, {
            command: "cat gone.txt",
            next_run: "2030-01-07T08:03:00Z",
            last_run: "2030-01-07T08:02:00Z",
            last_status: "error",
            last_output: GONE,
          }),
        ]),
        MINUTE_MS,
      ),
      runs({ job_id: "<job 1>", limit: 1 }, json([ran("08:02:00", "error", GONE)])),
      runs({ job_id: "<job 1>" }, json([ran("08:02:00", "error", GONE), ran("08:01:00", "ok", HELLO)])),
    ],
  },
  {
    title: "a job that is due once is removed after its run unless it is to be kept",
    rows: ["ZC-068"],
    at,
    calls: [
      add(
        { schedule: { kind: "after", after_seconds: 60 }, command: "ls" },
        stored(1, { kind: "at", at: "2030-01-07T08:01:00.000Z" }, "2030-01-07T08:01:00Z", MINUTELY),
      ),
      add(
        { schedule: { kind: "after", after_seconds: 60 }, command: "echo hello", delete_after_run: false },
        stored(2, { kind: "at", at: "2030-01-07T08:01:00.000Z" }, "2030-01-07T08:01:00Z", MINUTELY),
      ),
      list(
        {},
        json([
          listed(2, {
            schedule: { kind: "at", at: "2030-01-07T08:01:00.000Z" },
            next_run: null,
            last_run: "2030-01-07T08:01:00Z",
            last_status: "ok",
            last_output: HELLO,
          }),
        ]),
        MINUTE_MS,
      ),
      runs({ job_id: "<job 1>" }, json([ran("08:01:00", "ok", EMPTY)])),
    ],
  },
  {
    title: "a job is disabled, enabled, changed and run at once",
    rows: ["ZC-074"],
    at,
    calls: [
      add({ schedule: EVERY, command: "ls", name: "look" }, MINUTELY_ADDED),
      update({ job_id: "look", patch: { enabled: false } }, stored(1, EVERY, null, { next_run_local: null }, false)),
      run({ job_id: "look" }, failed("Did not run the schedule: it is disabled. Enable it first.")),
      update(
        { job_id: "look", patch: { enabled: true, schedule: WEEKDAYS, name: "report", delete_after_run: true } },
        WEEKDAYS_ADDED,
      ),
      update(
        { job_id: "report", patch: { enabled: true } },
        stored(1, WEEKDAYS, "2030-01-08T08:00:00Z", {
          timezone: "Europe/Berlin",
          next_run_local: "Tuesday 2030-01-08 09:00:00+01:00 Europe/Berlin",
        }),
      ),
      update(
        { job_id: "report", patch: { schedule: "0 9 * * *" } },
        invalid(`\`schedule\` was "0 9 * * *"; ${EXAMPLES}`, "cron_update"),
      ),
      run(
        { job_id: "REPORT" },
        json({ job_id: "<job 1>", run_id: "<job 1>/1894003200000", status: "due", scheduler: NOTHING_RUNS }),
      ),
    ],
  },
  {
    title: "a session that is read-only lists jobs and their runs, and changes none",
    rows: ["ZC-073"],
    at,
    autonomy: "readonly",
    calls: [
      add({ schedule: EVERY, command: "ls" }, failed("Read-only mode: cannot perform 'cron_add'")),
      remove({ job_id: "x" }, failed("Read-only mode: cannot perform 'cron_remove'")),
      update({ job_id: "x", patch: { enabled: false } }, failed("Read-only mode: cannot perform 'cron_update'")),
      run({ job_id: "x" }, failed("Read-only mode: cannot perform 'cron_run'")),
      list({}, json([])),
      runs({ job_id: "x" }, failed('There is no schedule "x". List them to see their ids.')),
    ],
  },
  {
    title: "changes of jobs are among the actions of an hour",
    rows: ["ZC-073"],
    at,
    calls: [
      add({ schedule: EVERY, command: "ls" }, MINUTELY_ADDED),
      {
        ...update({ job_id: "<job 1>", patch: { enabled: true } }, stored(1, EVERY, "2030-01-07T08:01:00Z", MINUTELY)),
        times: 19,
      },
      remove({ job_id: "<job 1>" }, failed("Rate limit exceeded")),
      list({}, json([listed(1, { command: "ls" })])),
    ],
  },
  {
    title: "without a state that keeps jobs there are no cron tools",
    rows: ["ZC-074"],
    calls: ["cron_add", "cron_list", "cron_remove", "cron_update", "cron_run", "cron_runs"].map((name) =>
      call(name)({}, failed(`Unknown tool: ${name}`)),
    ),
  },
];
