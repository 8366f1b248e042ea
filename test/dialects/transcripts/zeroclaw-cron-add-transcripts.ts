/** Golden transcripts of ZeroClaw's `cron_add`: schedules, what is refused, and the policy. */
import {
  add,
  at,
  call,
  EVERY,
  EXAMPLES,
  invalid,
  json,
  list,
  listed,
  MINUTELY,
  MINUTELY_ADDED,
  notStored,
  runs,
  stored,
  update,
  WEEKDAYS,
  WEEKDAYS_ADDED,
} from "./zeroclaw-cron-parts.js";
import { failed, violation, type ZeroclawTranscript } from "./zeroclaw-shape.js";

export const ZEROCLAW_CRON_ADD_TRANSCRIPTS: readonly ZeroclawTranscript[] = [
  {
    title: "each kind of schedule, as an object or its text",
    rows: ["ZC-067", "ZC-069"],
    at,
    calls: [
      add({ schedule: JSON.stringify(WEEKDAYS), command: "ls" }, WEEKDAYS_ADDED),
      // 0 and 7 are Sunday.
      ...["0 0 * * 0", "0 0 * * 7"].map((expr, index) =>
        add(
          { schedule: { kind: "cron", expr, tz: "UTC" }, command: "ls" },
          stored(2 + index, { kind: "cron", expr, tz: "UTC" }, "2030-01-13T00:00:00Z", {
            timezone: "UTC",
            timezone_source: "explicit",
            next_run_local: "Sunday 2030-01-13 00:00:00+00:00 UTC",
          }),
        ),
      ),
      // Seconds come first; the zone is that of the machine.
      add(
        { schedule: { kind: "cron", expr: "30 0 9 * * *" }, command: "ls" },
        stored(4, { kind: "cron", expr: "30 0 9 * * *", tz: "UTC" }, "2030-01-07T09:00:30Z", {
          timezone: "UTC",
          timezone_source: "local",
          next_run_local: "Monday 2030-01-07 09:00:30+00:00 UTC",
        }),
      ),
      add(
        { schedule: { kind: "at", at: "2030-01-07T12:00:00+02:00" }, command: "ls" },
        stored(5, { kind: "at", at: "2030-01-07T10:00:00.000Z" }, "2030-01-07T10:00:00Z", {
          next_run_local: "Monday 2030-01-07 10:00:00+00:00 UTC",
        }),
      ),
      add(
        { schedule: { kind: "after", after_seconds: 60 }, command: "ls" },
        stored(6, { kind: "at", at: "2030-01-07T08:01:00.000Z" }, "2030-01-07T08:01:00Z", MINUTELY),
      ),
      add({ schedule: EVERY, command: "ls" }, stored(7, EVERY, "2030-01-07T08:01:00Z", MINUTELY)),
    ],
  },
  {
    title: "a time of day that does not exist is due after the gap",
    rows: ["ZC-069"],
    at: "2030-03-30T12:00:00Z",
    calls: [
      add(
        { schedule: { kind: "cron", expr: "30 2 * * *", tz: "Europe/Berlin" }, command: "ls" },
        stored(1, { kind: "cron", expr: "30 2 * * *", tz: "Europe/Berlin" }, "2030-03-31T01:00:00Z", {
          timezone: "Europe/Berlin",
          timezone_source: "explicit",
          next_run_local: "Sunday 2030-03-31 03:00:00+02:00 Europe/Berlin",
        }),
      ),
    ],
  },
  {
    title: "a schedule that cannot be read is refused with examples or with what is wrong in it",
    rows: ["ZC-067", "ZC-069"],
    at,
    calls: [
      ...[
        "0 9 * * *",
        { kind: "cron" },
        { kind: "weekly", expr: "0 9 * * *" },
        { kind: "cron", expr: "0 9 * * *", tz: 5 },
        { kind: "after", after_seconds: 0 },
        { kind: "after", after_seconds: 1.5 },
        { kind: "every", every_ms: 0 },
      ].map((schedule) =>
        add({ schedule, command: "ls" }, invalid(`\`schedule\` was ${JSON.stringify(schedule)}; ${EXAMPLES}`)),
      ),
      add({ schedule: 5, command: "ls" }, invalid("`schedule` must be an object or a string, not 5.")),
      add(
        { schedule: { kind: "every", every_ms: 999 }, command: "ls" },
        notStored('`schedule.every_ms` was "999ms"; send 1s to 3660d.'),
      ),
      add(
        { schedule: { kind: "cron", expr: "61 * * * *" }, command: "ls" },
        notStored(
          '`schedule.expr` was "61 * * * *": the field minute is "61"; it takes 0-59, lists (1,5), ranges (1-5), steps (*/5) and *.',
        ),
      ),
      add(
        { schedule: { kind: "cron", expr: "0 0 9 * * 1 2030" }, command: "ls" },
        notStored(
          '`schedule.expr` was "0 0 9 * * 1 2030": it has 7 fields; a cron expression has 5 or 6: minute hour day-of-month month weekday, and a field of seconds before them if needed.',
        ),
      ),
      add(
        { schedule: { kind: "cron", expr: "0 9 * * *", tz: "Mars/Base" }, command: "ls" },
        notStored('`schedule.tz` "Mars/Base" is not a time zone; send an IANA name such as Europe/Berlin, or UTC.'),
      ),
      add(
        { schedule: { kind: "at", at: "2030-01-07T09:00:00" }, command: "ls" },
        notStored(
          '`schedule.at` was "2030-01-07T09:00:00"; send a date and time with its offset, such as "2030-01-31T09:00:00Z" or "2030-01-31T09:00:00+02:00".',
        ),
      ),
      add(
        { schedule: { kind: "at", at: "2030-01-07T07:59:59Z" }, command: "ls" },
        notStored(
          '`schedule.at` was "2030-01-07T07:59:59Z", which is 2030-01-07T07:59:59.000Z; that is past: it is 2030-01-07T08:00:00.000Z.',
        ),
      ),
      list({}, json([])),
    ],
  },
  {
    title: "a missing argument of a cron tool is named, and one that no job can have is refused",
    rows: ["ZC-005", "ZC-068"],
    at,
    calls: [
      add({ command: "ls" }, failed("Missing 'schedule' parameter")),
      add({ schedule: WEEKDAYS }, failed("Missing 'command' parameter")),
      ...["cron_remove", "cron_update", "cron_run", "cron_runs"].map((name) =>
        call(name)({}, failed("Missing 'job_id' parameter")),
      ),
      update({ job_id: "x" }, failed("Missing 'patch' parameter")),
      add({ schedule: WEEKDAYS, command: " " }, notStored("`command` is empty; send a shell command.")),
      add(
        { schedule: WEEKDAYS, command: "ls", job_type: "mail" },
        invalid('`job_type` must be one of "shell", "agent", not the string "mail".'),
      ),
      runs({ job_id: "x", limit: 0 }, invalid("`limit` must be an integer of at least 1, not 0.", "cron_runs")),
      list({}, json([])),
    ],
  },
  {
    title: "jobs of an agent and messages to a channel are refused with what to do",
    rows: ["ZC-068"],
    at,
    calls: [
      ...[{ job_type: "agent" }, { prompt: "Look." }, { job_type: "agent", prompt: "Look.", command: "ls" }].map(
        (more) =>
          add(
            { schedule: WEEKDAYS, ...more },
            invalid("agent jobs are not supported. Send a `command` for a shell job."),
          ),
      ),
      add(
        { schedule: WEEKDAYS, command: "ls", delivery: { mode: "announce", channel: "chat", to: "ada" } },
        invalid("output is not delivered to channels. Omit `delivery`; `cron_runs` shows the output."),
      ),
      // What only a job of an agent has says nothing about a command.
      add(
        {
          schedule: WEEKDAYS,
          command: "ls",
          job_type: "shell",
          prompt: " ",
          delivery: { mode: "none" },
          session_target: "main",
          model: "large",
          allowed_tools: ["shell"],
          uses_memory: true,
        },
        WEEKDAYS_ADDED,
      ),
      update(
        { job_id: "<job 1>", patch: { prompt: "Look." } },
        invalid("agent jobs are not supported. Send a `command` for a shell job.", "cron_update"),
      ),
      update(
        { job_id: "<job 1>", patch: { delivery: { mode: "announce" } } },
        invalid("output is not delivered to channels. Omit `delivery`; `cron_runs` shows the output.", "cron_update"),
      ),
    ],
  },
  {
    title: "a command is judged when its job is added, in the words of the shell",
    rows: ["ZC-073"],
    at,
    policy: { allowedCommands: ["ls", "cat", "mkdir", "rm"] },
    calls: [
      add({ schedule: EVERY, command: "touch a.txt" }, violation("Command not in allowlist")),
      add({ schedule: EVERY, command: "cat /etc/shadow" }, failed("Path blocked by security policy: /etc/shadow")),
      add({ schedule: EVERY, command: "rm a.txt" }, violation("High-risk commands are blocked")),
      add(
        { schedule: EVERY, command: "mkdir build", approved: true },
        violation("Medium-risk command requires approval"),
      ),
      add({ schedule: EVERY, command: "ls", name: "look" }, MINUTELY_ADDED),
      update({ job_id: "look", patch: { command: "touch a.txt" } }, violation("Command not in allowlist")),
      list({}, json([listed(1, { command: "ls", name: "look" })])),
    ],
  },
  {
    title: "a user approves the command of a job, and another schedule needs another answer",
    rows: ["ZC-073"],
    at,
    policy: { allowedCommands: ["mkdir"] },
    approval: "granted",
    asked: ["Medium-risk command requires approval: `mkdir build`: `mkdir` is listed as medium risk."],
    calls: [
      add({ schedule: EVERY, command: "mkdir build", name: "make" }, MINUTELY_ADDED),
      update(
        { job_id: "make", patch: { schedule: WEEKDAYS } },
        stored(1, WEEKDAYS, "2030-01-08T08:00:00Z", {
          timezone: "Europe/Berlin",
          timezone_source: "explicit",
          next_run_local: "Tuesday 2030-01-08 09:00:00+01:00 Europe/Berlin",
          approval:
            "The user had approved the command of this job as it was before: it needs an approval again. Send `command` with `cron_update`, so that they are asked.",
        }),
      ),
    ],
  },
];
