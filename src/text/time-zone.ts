/** Times as a clock on the wall of a time zone shows them. */
import { nearestNames } from "./nearest.js";

/** The canonical name of the zone; undefined for an unknown one. An older name is kept. */
export function knownZone(asked: string): string | undefined {
  try {
    const known = new Intl.DateTimeFormat("en-US", { timeZone: asked }).resolvedOptions().timeZone;
    return known.toLowerCase() === asked.toLowerCase() ? known : asked;
  } catch {
    return undefined;
  }
}

/** The zone of this machine, and UTC where it has none. */
export function localZone(): string {
  return new Intl.DateTimeFormat("en-US").resolvedOptions().timeZone || "UTC";
}

/** What to say about a name that is not a zone. */
export function zoneProblem(zone: string): string {
  const near = nearestNames(zone, Intl.supportedValuesOf("timeZone"));
  const nearest = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
  return `is not a time zone; send an IANA name such as Europe/Berlin, or UTC.${nearest}`;
}

/** The parts of a time as text, of fixed width except for names. */
export interface WallTime {
  readonly date: string;
  readonly time: string;
  readonly day: string;
  readonly month: string;
  readonly weekday: string;
  /** `+02:00` */
  readonly offset: string;
}

/** @param zone - One that `knownZone` knows. */
export function wallTime(nowMs: number, zone: string): WallTime {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(nowMs);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  const asUtcMs = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  const wall = new Date(asUtcMs);
  const word = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-US", { timeZone: "UTC", ...options }).format(wall);
  const [date = "", time = ""] = wall.toISOString().split("T");
  return {
    date,
    time: time.slice(0, 8),
    day: date.slice(-2),
    month: word({ month: "long" }),
    weekday: word({ weekday: "long" }),
    offset: offsetOf(Math.round((asUtcMs - Math.floor(nowMs / 1000) * 1000) / 60_000)),
  };
}

function offsetOf(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
