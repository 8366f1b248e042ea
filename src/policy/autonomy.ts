/** The levels in a sentence, for a help text. */
export const AUTONOMY_TEXT =
  "readonly: reads and harmless commands; supervised: also changes of files in the workspace; full: everything but the deletion of a whole root and Haft's own configuration.";
