import { randomBytes } from "node:crypto";

/** 16 hex digits that nobody can guess. */
export function newNonce(): string {
  return randomBytes(8).toString("hex");
}
