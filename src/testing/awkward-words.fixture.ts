/** Words that a shell takes for something else where they are not quoted. */
export const AWKWARD_WORDS: readonly string[] = [
  "a b",
  "it's",
  '"q"',
  "$HOME",
  "`id`",
  "back\\slash",
  "new\nline",
  "é",
  "",
  "-x",
  "*",
  "=ls",
  "a=b",
  "!!",
  "100%",
  "~",
];
