/** What a shell reads of what is typed into its pane. */

/**
 * The lines that a shell gets of text and keys, as `keysAsText` writes them: letters that are sent as keys are letters, and what is
 * erased again is not there. Keys that move in the line, complete it or fetch another one are left out: what comes of them is known
 * only in the pane.
 */
export function readTyped(text: string): string {
  let typed = "";
  for (const [one, bracket, key = bracket] of text.matchAll(/<(?:([<>])|([^<>\s]+))>|[\s\S]/gu)) {
    const said = key === undefined ? one : characterOf(key);
    const erased = ERASED[said];
    if (erased !== undefined) typed = typed.replace(erased, "");
    else if (said === "\r") typed += "\n";
    else typed += said;
  }
  return typed;
}

/** Backspace, and in the order of the keys C-c, C-u and C-w. */
const ERASED: Readonly<Record<string, RegExp>> = {
  "\b": /[^\n]$/u,
  "\x7f": /[^\n]$/u,
  "\x03": /[^\n]*$/,
  "\x15": /[^\n]*$/,
  "\x17": /\S*[^\S\n]*$/,
};

const NAMED: Readonly<Record<string, string>> = {
  space: " ",
  "s-space": " ",
  bspace: "\x7f",
  "c-h": "\b",
  "c-c": "\x03",
  "c-u": "\x15",
  "c-w": "\x17",
};

function characterOf(key: string): string {
  if ([...key].length === 1) return key;
  const lower = key.toLowerCase().replace(/^\^/, "c-");
  return NAMED[lower] ?? /^kp([\d/*+.-])$/.exec(lower)?.[1] ?? "";
}
