/** Real time, chance and digests. */
import { hash, randomBytes } from "node:crypto";
import { type Clock, type Ids, MAX_TIMER_MS } from "../../kernel/index.js";

/** 80 bits, as 20 hex digits. */
const ID_BYTES = 10;

/** The clock of this machine. A pending timer keeps the process alive, and no delay is too long. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  timer(ms: number, done: () => void): () => void {
    let left = ms;
    let timer: NodeJS.Timeout;
    const wait = () => {
      const step = Math.min(Math.max(0, left), MAX_TIMER_MS);
      left -= step;
      timer = setTimeout(() => (left > 0 ? wait() : done()), step);
    };
    wait();
    return () => clearTimeout(timer);
  },
});

/** Ids from the system's random source: nobody can guess one. */
export const systemIds: Ids = Object.freeze({
  next: (kind: string) => `${kind}-${randomBytes(ID_BYTES).toString("hex")}`,
});

/** SHA-256 as 64 hex digits; text as UTF-8. */
export function sha256(bytes: Uint8Array | string): string {
  return hash("sha256", bytes);
}
