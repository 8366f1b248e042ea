/** How schedules and their runs are stored: tables, and what a row means. */
import {
  documentText,
  HaftError,
  type Json,
  type Schedule,
  type ScheduleContent,
  type ScheduleRun,
  type ScheduleRunEnd,
  type ScheduleRunState,
  schedulePlace,
} from "../../kernel/index.js";
import { truncateToHead, truncateToTail, utf8Length } from "../../text/index.js";
import type { Sql, SqlRow } from "./sql.js";

/** Bytes of a run's output that are stored: of a longer one this much of its start, and the rest of its end. */
const MAX_OUTPUT_BYTES = 16 << 10;
const OUTPUT_HEAD_BYTES = 4 << 10;
/** For the line between start and end. */
const MARKER_BYTES = 64;

/** The statements that create the tables of `sqlSchedules`. */
export function scheduleTables(engine: Sql["engine"]): readonly string[] {
  const key = engine === "postgres" ? 'TEXT COLLATE "C"' : "TEXT";
  return [
    `CREATE TABLE haft_schedules (
      id ${key} PRIMARY KEY, position BIGINT NOT NULL, created_ms BIGINT NOT NULL, next_ms BIGINT,
      enabled INTEGER NOT NULL, owner ${key} NOT NULL, place ${key} NOT NULL, content TEXT NOT NULL)`,
    "CREATE INDEX haft_schedules_next ON haft_schedules (next_ms)",
    `CREATE TABLE haft_schedule_runs (
      id ${key} PRIMARY KEY, schedule ${key} NOT NULL, due_ms BIGINT NOT NULL, attempt INTEGER NOT NULL,
      state ${key} NOT NULL, host TEXT, claim ${key}, lease_ms BIGINT,
      claimed_ms BIGINT, begun_ms BIGINT, ended_ms BIGINT, outcome TEXT,
      owner ${key} NOT NULL, place ${key} NOT NULL, name ${key} NOT NULL, about TEXT NOT NULL)`,
    "CREATE INDEX haft_schedule_runs_of ON haft_schedule_runs (schedule, due_ms, attempt)",
    "CREATE INDEX haft_schedule_runs_by ON haft_schedule_runs (owner, place, due_ms)",
    "CREATE INDEX haft_schedule_runs_state ON haft_schedule_runs (state, due_ms)",
    `CREATE TABLE haft_schedule_hosts (host ${key} PRIMARY KEY, places TEXT NOT NULL, polled_ms BIGINT NOT NULL)`,
  ];
}

/** What is stored of a schedule, or of a changed one. @throws `STORE_INVALID` */
export function contentRow(
  id: string,
  changed: ScheduleContent & Partial<Pick<Schedule, "id" | "createdMs" | "nextMs">>,
) {
  const { nextMs, id: _, createdMs: __, ...content } = changed;
  if (nextMs !== undefined && !Number.isSafeInteger(nextMs))
    throw new HaftError("STORE_INVALID", `Did not store the schedule: \`nextMs\` is ${nextMs}, not a whole number.`, {
      details: { key: id, why: "`nextMs` is not a whole number" },
    });
  return {
    nextMs: nextMs ?? null,
    enabled: content.enabled ? 1 : 0,
    owner: ownerText(content.owner),
    place: schedulePlace(content),
    text: documentText(id, content as unknown as Json),
  };
}

/** JSON, because PostgreSQL stores no NUL in a text; "null" for none. */
export function ownerText(owner: string | undefined): string {
  return JSON.stringify(owner ?? null);
}

/** By which runs are found, whatever the case. */
export function nameText(name: string | undefined): string {
  return JSON.stringify(name?.trim().toLowerCase() ?? null);
}

export function scheduleOf(row: SqlRow): Schedule {
  const content = JSON.parse(String(row.content)) as ScheduleContent;
  const next = row.next_ms === null ? {} : { nextMs: Number(row.next_ms) };
  return { ...content, id: String(row.id), createdMs: Number(row.created_ms), ...next };
}

/** @param prefix - Of the names of its columns. */
export function runOf(row: SqlRow, prefix = ""): ScheduleRun {
  const of = (name: string) => row[`${prefix}${name}`] ?? null;
  const time = (name: "claimed" | "begun" | "ended") => {
    const ms = of(`${name}_ms`);
    return ms === null ? {} : { [`${name}Ms`]: Number(ms) };
  };
  const [host, outcome, owner] = [of("host"), of("outcome"), JSON.parse(String(of("owner"))) as string | null];
  return {
    id: String(of("id")),
    schedule: String(of("schedule")),
    ...(JSON.parse(String(of("about"))) as Pick<ScheduleRun, "name" | "command">),
    ...(owner === null ? {} : { owner }),
    place: String(of("place")),
    dueMs: Number(of("due_ms")),
    attempt: Number(of("attempt")),
    state: String(of("state")) as ScheduleRunState,
    ...(host === null ? {} : { host: String(host) }),
    ...time("claimed"),
    ...time("begun"),
    ...time("ended"),
    ...(outcome === null ? {} : { end: JSON.parse(String(outcome)) as ScheduleRunEnd }),
  };
}

export function runId(schedule: string, dueMs: number, attempt: number): string {
  return `${schedule}/${dueMs}${attempt === 1 ? "" : `#${attempt}`}`;
}

/** The JSON text of an end, its output shortened to what is stored. */
export function endText(end: ScheduleRunEnd): string {
  const { output } = end;
  return JSON.stringify(output === undefined ? end : { ...end, output: shortened(output) });
}

function shortened(output: string): string {
  const bytes = utf8Length(output);
  if (bytes <= MAX_OUTPUT_BYTES) return output;
  const head = truncateToHead(output, OUTPUT_HEAD_BYTES);
  const tail = truncateToTail(output, MAX_OUTPUT_BYTES - OUTPUT_HEAD_BYTES - MARKER_BYTES);
  return `${head.text}\n[${bytes - head.keptBytes - tail.keptBytes} bytes omitted]\n${tail.text}`;
}
