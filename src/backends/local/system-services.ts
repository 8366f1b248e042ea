/** Real chance and digests; the clock is of `host`. */
import { hash, randomBytes } from "node:crypto";
import type { Ids } from "../../kernel/index.js";

export { systemClock } from "../../host/index.js";

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
