/** Limits of the HTTP server. */

/** The largest request body in bytes; a larger one is answered with 413. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** Milliseconds for sending the last responses before a connection is closed. */
export const FINAL_RESPONSE_MS = 250;
