/** Ids and digests, from the system's random source and `node:crypto`. */
import { hash, randomBytes } from "node:crypto";
import type { Ids } from "../kernel/index.js";

/** 80 bits, as 20 hex digits. */
const ID_BYTES = 10;

/** Unguessable ids. */
export const systemIds: Ids = Object.freeze({
  next: (kind: string) => `${kind}-${randomBytes(ID_BYTES).toString("hex")}`,
});

/** 16 unguessable hex digits. */
export function newNonce(): string {
  return randomBytes(8).toString("hex");
}

/** SHA-256 as 64 hex digits; text as UTF-8. */
export function sha256(bytes: Uint8Array | string): string {
  return hash("sha256", bytes);
}
