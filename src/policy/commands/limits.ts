/** The limits of the analysis: what exceeds one is a problem of its own, never a shorter judgement. */

/** Longest text that is parsed, in UTF-16 units. */
export const MAX_COMMAND_LENGTH = 64 * 1024;
/** Most characters that are parsed for one command, texts inside texts (`sh -c`, `eval`) included. */
export const MAX_PARSED = 4 * MAX_COMMAND_LENGTH;
/** Deepest nesting of commands inside commands. */
export const MAX_DEPTH = 32;
/** Most words that the braces of one word expand to. */
export const ALTERNATIVES = 64;
/** Most combinations of the values of variables for which one command is judged. */
export const MAX_COMBINATIONS = 64;
/** Most combinations that are judged in one analysis. */
export const MAX_JUDGED = 4096;
