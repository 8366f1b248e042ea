/** Parts of the golden transcripts of ZeroClaw's tools for cron jobs. */
import { done, failed, type ZeroclawCall, type ZeroclawEnvelope } from "./zeroclaw-shape.js";

export const call =
  (name: string) =>
  (input: object, result: ZeroclawEnvelope, afterMs = 0): ZeroclawCall => ({
    name,
    input,
    result,
    ...(afterMs === 0 ? {} : { afterMs }),
  });
export const add = call("cron_add");
export const list = call("cron_list");
export const remove = call("cron_remove");
export const update = call("cron_update");
export const run = call("cron_run");
export const runs = call("cron_runs");

/** A Monday. */
export const at = "2030-01-07T08:00:00Z";
export const WEEKDAYS = { kind: "cron", expr: "0 9 * * 1-5", tz: "Europe/Berlin" };
export const EVERY = { kind: "every", every_ms: 60_000 };
export const MINUTE_MS = 60_000;
export const NOTHING_RUNS =
  "Nothing runs the jobs of this workspace at present: ask the user to start `haft serve` or `haft schedule daemon` in it.";
export const EXAMPLES =
  'send an object such as {"kind":"cron","expr":"0 9 * * 1-5","tz":"Europe/Berlin"}, {"kind":"at","at":"2030-01-01T09:00:00Z"}, {"kind":"after","after_seconds":600} or {"kind":"every","every_ms":3600000}.';

export const json = (value: unknown) => done(JSON.stringify(value, null, 2));
export const invalid = (problem: string, tool = "cron_add") => failed(`Did not run \`${tool}\`: ${problem}`);
export const notStored = (problem: string) => failed(`Did not store the schedule: ${problem}`);

/** What a job that was added or changed is shown as. */
export const stored = (id: number, schedule: object, nextRun: string | null, more: object = {}, enabled = true) =>
  json({
    id: `<job ${id}>`,
    job_type: "shell",
    enabled,
    schedule,
    next_run: nextRun,
    ...more,
    scheduler: NOTHING_RUNS,
  });

export const WEEKDAYS_ADDED = stored(1, WEEKDAYS, "2030-01-08T08:00:00Z", {
  timezone: "Europe/Berlin",
  timezone_source: "explicit",
  next_run_local: "Tuesday 2030-01-08 09:00:00+01:00 Europe/Berlin",
});
export const MINUTELY = { next_run_local: "Monday 2030-01-07 08:01:00+00:00 UTC" };
export const MINUTELY_ADDED = stored(1, EVERY, "2030-01-07T08:01:00Z", MINUTELY);

/** What the output of a run is. */
export const HELLO = "stdout:\nhello\nstderr: (empty)\nstatus: exit code 0";
export const GONE = "stdout: (empty)\nstderr:\ncat: gone.txt: No such file or directory\nstatus: exit code 1";
export const EMPTY = "stdout: (empty)\nstderr: (empty)\nstatus: exit code 0";

export const listed = (id: number, more: object) => ({
  id: `<job ${id}>`,
  expression: "",
  schedule: EVERY,
  command: "echo hello",
  prompt: null,
  name: null,
  job_type: "shell",
  session_target: "isolated",
  model: null,
  enabled: true,
  delivery: { mode: "none" },
  delete_after_run: false,
  allowed_tools: null,
  source: "tool",
  created_at: "2030-01-07T08:00:00.000Z",
  next_run: "2030-01-07T08:01:00Z",
  last_run: null,
  last_status: null,
  last_output: null,
  ...more,
});

/** A run of the first job that was due at this time of the day. */
export function ran(due: string, status: string, output: string) {
  const time = `2030-01-07T${due}`;
  return {
    job_id: "<job 1>",
    run_id: `<job 1>/${Date.parse(`${time}Z`)}`,
    due: `${time}Z`,
    started_at: `${time}.000Z`,
    finished_at: `${time}.000Z`,
    status,
    output,
  };
}
