/** Limits of the HTTP server. */

/** The largest request body in bytes; a larger one is answered with 413. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
