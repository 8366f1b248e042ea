import type { Digest } from "./services.js";

/** SHA-256 as hex by the Web Crypto of the runtime: for whoever is given no digest of a host. */
export const webDigest: Digest = async (data) => {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const digest = await globalThis.crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
};
