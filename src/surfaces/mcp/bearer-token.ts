/** The token that a client must show. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** A longer token cannot be valid and is rejected without a comparison. */
const MAX_TOKEN_CHARACTERS = 256;

/** A new token: 256 bits, in letters, digits, "-" and "_". */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** A short name for the holder of a token that does not give the token away. */
export function clientOf(token: string): string {
  return createHash("sha256").update(`client:${token}`).digest("hex").slice(0, 16);
}

/** The token of the request; "" where it carries none. */
export function shownToken(request: IncomingMessage): string {
  const [scheme = "", shown = ""] = (request.headers.authorization ?? "").split(" ", 2);
  return scheme.toLowerCase() === "bearer" && shown.length <= MAX_TOKEN_CHARACTERS ? shown : "";
}

/** Constant-time comparison. */
export function isSameToken(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
