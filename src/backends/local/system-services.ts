/** Real chance and digests; the clock is of `host`. */
import { hash, randomBytes } from "node:crypto";
import { systemClock as clock } from "../../host/index.js";
import type { Clock, Ids } from "../../kernel/index.js";

/** Typed by its port, so that whoever compiles against the package needs no types of Node.js. */
export const systemClock: Clock = clock;

/** 80 bits, as 20 hex digits. */
const ID_BYTES = 10;

/** Ids from the system's random source: nobody can guess one. */
export const systemIds: Ids = Object.freeze({
  next: (kind: string) => `${kind}-${randomBytes(ID_BYTES).toString("hex")}`,
});

/** SHA-256 as 64 hex digits; text as UTF-8. */
export function sha256(bytes: Uint8Array | string): string {
  return hash("sha256", bytes);
}
