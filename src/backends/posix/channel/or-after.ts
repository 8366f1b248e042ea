/** Waiting for the remote side, but not for ever. */
import { systemClock } from "../../../host/index.js";
import { withTimeout } from "../../../kernel/index.js";

/** Resolves like `work`, or with undefined after `ms`, so that a missing response never blocks a call. */
export function orAfter<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return withTimeout<T | undefined>(
    { clock: systemClock, ms },
    () => work,
    () => undefined,
  );
}
