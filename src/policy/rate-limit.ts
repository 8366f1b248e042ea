/** How often a session may call tools that can change something: a sliding window. */
import { HaftError, type RateLimit } from "../kernel/index.js";

/** What `slidingWindowRate` limits, and its clock. */
export interface SlidingWindowOptions {
  /** Calls that may succeed within the window. 0: none. Default 20. */
  readonly actions?: number;
  /** Calls within the window, also those that fail or are not approved. 0: none. Default: three times `actions`. */
  readonly attempts?: number;
  /** Length of the window. Default 3,600,000: an hour. */
  readonly windowMs?: number;
  /** Milliseconds since the epoch: `Date.now`, or the clock of a test. */
  now(): number;
}

const DEFAULT_RATE = Object.freeze({ actions: 20, windowMs: 3_600_000 });
/** Attempts for each action. */
const ATTEMPTS_PER_ACTION = 3;
/** Sessions whose window is kept; beyond that, those without anything in it are removed. */
const MANY_SESSIONS = 1_000;

/** One call in the window. */
interface Slot {
  readonly atMs: number;
  /** "running" counts as an action until the call has ended. */
  state: "running" | "succeeded" | "failed";
}

/**
 * A limit for calls of tools that can change something, commands among them, for each session by itself. A slot is taken before the user is asked, so that parallel
 * calls cannot exceed the limit together; a call that fails returns its action and stays an attempt, so that failing calls
 * are limited too. It is kept in memory.
 *
 * @throws `CONFIG_INVALID` for a number that is negative or not whole.
 */
export function slidingWindowRate(options: SlidingWindowOptions): RateLimit {
  const { actions = DEFAULT_RATE.actions, windowMs = DEFAULT_RATE.windowMs, now } = options;
  const { attempts = actions * ATTEMPTS_PER_ACTION } = options;
  for (const [name, value] of Object.entries({ actions, attempts, windowMs })) requireCount(name, value);
  const limits = { actions, attempts, windowMs };
  const sessions = new Map<string, Slot[]>();
  const recent = (slots: readonly Slot[]) => slots.filter(({ atMs }) => now() - atMs < windowMs);

  function removeIdle(): void {
    for (const [id, slots] of sessions) if (recent(slots).length === 0) sessions.delete(id);
  }

  return Object.freeze<RateLimit>({
    reserve({ sessionId }) {
      if (sessions.size > MANY_SESSIONS) removeIdle();
      const slots = recent(sessions.get(sessionId) ?? []);
      const reason = refusalOf(slots, limits, now());
      if (reason !== undefined) return { allowed: false, reason };
      const slot: Slot = { atMs: now(), state: "running" };
      sessions.set(sessionId, [...slots, slot]);
      return {
        allowed: true,
        settle(succeeded) {
          if (slot.state === "running") slot.state = succeeded ? "succeeded" : "failed";
        },
      };
    },
  });
}

/** Which limit is reached, and when the next call is possible; undefined for none. Slots are in the order of their time. */
function refusalOf(
  slots: readonly Slot[],
  { actions, attempts, windowMs }: { readonly actions: number; readonly attempts: number; readonly windowMs: number },
  nowMs: number,
): string | undefined {
  const acted = slots.filter(({ state }) => state !== "failed");
  const reached =
    acted.length >= actions
      ? { name: "actions", most: actions, used: acted, what: "calls of tools that can change something" }
      : slots.length >= attempts
        ? { name: "attempts", most: attempts, used: slots, what: "such calls, failed ones included" }
        : undefined;
  if (reached === undefined) return undefined;
  const { name, most, used, what } = reached;
  if (most === 0) return `the rate limit allows no ${name} (${what}). ${UNLIMITED}`;
  const running = used.filter(({ state }) => state === "running").length;
  const freeMs = used[used.length - most]!.atMs + windowMs - nowMs;
  const sooner = running > 0 && name === "actions" ? `, or when a running one fails (${running} running)` : "";
  const counted = `${used.length} of ${most} ${name} (${what}) are used in ${shown(windowMs)}`;
  return `the rate limit is reached: ${counted}. The next is possible in ${shown(freeMs)}${sooner}. ${UNLIMITED}`;
}

const UNLIMITED = "Tools that only read are not limited.";

function shown(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

function requireCount(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  const message = `\`rate.${name}\` must be a whole number of 0 or more, not ${JSON.stringify(value) ?? String(value)}.`;
  throw new HaftError("CONFIG_INVALID", message, { details: { option: `rate.${name}` } });
}
