/** The token that a client must show. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** A new token: 256 bits, in letters, digits, "-" and "_". */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** A short name for the holder of a token that does not give the token away. */
export function clientOf(token: string): string {
  return createHash("sha256").update(`client:${token}`).digest("hex").slice(0, 16);
}

/** Whether the request carries the token. Takes the same time whatever is wrong. */
export function carriesToken(request: IncomingMessage, token: string): boolean {
  const [scheme = "", shown = ""] = (request.headers.authorization ?? "").split(" ", 2);
  const isEqual = timingSafeEqual(digest(shown), digest(token));
  return scheme.toLowerCase() === "bearer" && isEqual;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
