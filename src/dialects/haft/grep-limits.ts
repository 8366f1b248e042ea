/** The bounds of a search in the default dialect; each also stands in the description or in a notice. */
export const GREP_DEFAULT_HITS = 200;
export const GREP_MAX_HITS = 5_000;
export const GREP_MAX_LINE_BYTES = 400;
export const GREP_MAX_BYTES = 32_768;
export const GREP_MAX_CONTEXT = 50;
