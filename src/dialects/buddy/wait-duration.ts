/** How long `run_shell` waits: the forms of its `wait` argument, and a limit in short units. */
import { shownValue } from "../arguments.js";

type Wait =
  | { readonly mode: "until-exit" }
  | { readonly mode: "dispatch" }
  | { readonly mode: "limit"; readonly timeoutMs: number }
  | { readonly problem: string };

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const ACCEPTED = 'true, false, a number of seconds, or a duration like "500ms", "30s", "10m", "1h" or "1d"';

/** BD-012, BD-015, BD-016: a bare number counts seconds, a unit may be written in either case; zero and less are refused. */
export function parseWait(wait: unknown): Wait {
  if (wait === undefined || wait === true) return { mode: "until-exit" };
  if (wait === false) return { mode: "dispatch" };
  const timeoutMs = typeof wait === "number" ? wait * 1_000 : durationMs(wait);
  if (timeoutMs === undefined || !Number.isSafeInteger(timeoutMs) || timeoutMs <= 0)
    return { problem: `\`wait\` was ${shownValue(wait)}; it takes ${ACCEPTED}` };
  return { mode: "limit", timeoutMs };
}

/** "30s", "250ms", "45" (seconds), in either case; undefined for anything else. */
export function durationMs(wait: unknown): number | undefined {
  const match = typeof wait === "string" ? /^(\d{1,12})\s*(ms|s|m|h|d)?$/i.exec(wait.trim()) : null;
  if (match === null) return undefined;
  return Number(match[1]) * (UNIT_MS[(match[2] ?? "s").toLowerCase()] ?? 1_000);
}

/** BD-017: 250ms, 7s, 2m, 2h, 1.250s. The largest unit that divides the time evenly, seconds with three decimals otherwise. */
export function shortDuration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  if (ms % UNIT_MS.h! === 0) return `${ms / UNIT_MS.h!}h`;
  if (ms % UNIT_MS.m! === 0) return `${ms / UNIT_MS.m!}m`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${(ms / 1_000).toFixed(3)}s`;
}
