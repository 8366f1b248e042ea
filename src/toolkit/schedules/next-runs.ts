/** When a schedule would be due, for hosts that show it before it is stored. */
import { HaftError } from "../../kernel/index.js";
import { localZone } from "../../text/index.js";

/** Exactly one of the first three, as the tool `cron_add` takes them. */
export interface NextRunsTiming {
  /** A cron expression of 5 fields, or of 6 with seconds first. */
  readonly schedule?: string;
  /** Once: a time of RFC 3339 with its offset. */
  readonly at?: string;
  /** An interval from `fromMs` on, such as "90s", "2h" or "1d". */
  readonly every?: string;
  /** The IANA zone of `schedule`. Default: that of this machine. */
  readonly tz?: string;
}

/** Which of the times. */
export interface NextRunsOptions {
  /** Milliseconds since the epoch: only times after it. */
  readonly fromMs: number;
  /** How many at most, 1 to 1,000. Default 1. */
  readonly count?: number;
}

const MAX_COUNT = 1_000;

/**
 * The next times at which a schedule is due, in milliseconds since the epoch; fewer than `count` where it is not due so often.
 *
 * @throws `CONFIG_INVALID` for a timing that is never due or is not one, with the field and what it takes.
 */
export async function nextRuns(
  timing: NextRunsTiming,
  { fromMs, count = 1 }: NextRunsOptions,
): Promise<readonly number[]> {
  const { nextDue, parseTiming } = await import("../../engines/schedule/index.js");
  const parsed = parseTiming(timing, { nowMs: fromMs, localZone: localZone() });
  if (!("timing" in parsed))
    throw new HaftError("CONFIG_INVALID", `Did not find the next runs: \`${parsed.parameter}\` ${parsed.problem}.`);
  const found: number[] = [];
  let ms = nextDue(parsed.timing, fromMs);
  while (ms !== undefined && found.length < Math.min(count, MAX_COUNT)) {
    found.push(ms);
    ms = nextDue(parsed.timing, ms);
  }
  return found;
}
