/** A text without control characters, and what was removed from it. */
export interface StrippedText {
  readonly text: string;
  /** Removed characters, including those of escape sequences; without carriage returns of line endings. */
  readonly removed: number;
  /** Carriage returns of CRLF line endings that were removed. */
  readonly carriageReturns: number;
}

/** Longest operating-system command, such as a title or a symlink, that is taken out as one sequence, in UTF-16 units. */
const MAX_STRING_SEQUENCE = 4096;

/** Controls but tab and newline, DEL, C1, and the characters that change the direction of text. */
const CONTROL = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]";
/** Starts only where a run starts: otherwise each character of a run without a newline behind it would be tried again. */
const LINE_END = /(?<!\r)\r+(?=\n)/g;
const SEQUENCES = [
  // OSC, DCS, SOS, PM and APC carry a string up to BEL or ST; a string that does not end soon is left in sight.
  `\\x1b[\\]PX^_][^\\x07\\x1b\\x9c\\n]{0,${MAX_STRING_SEQUENCE}}(?:\\x07|\\x9c|\\x1b\\\\)`,
  "(?:\\x1b\\[|\\x9b)[\\x30-\\x3f]{0,256}[\\x20-\\x2f]{0,16}[\\x40-\\x7e]",
  "\\x1b[\\x20-\\x2f]{0,16}[\\x30-\\x7e]",
];
const STRIPPED = new RegExp(`${SEQUENCES.join("|")}|${CONTROL}`, "g");
const ANY = new RegExp(`${CONTROL}|^\\ufeff`);
const IN_JSON = new RegExp(`${CONTROL}|\\ufeff`, "g");
const SHOWN = new RegExp(`${CONTROL}|[\\t\\n\\ufeff]`, "g");

/**
 * Removes what a reader does not see but a terminal or a renderer interprets: ANSI escape sequences, control characters
 * other than tab and newline, bidirectional controls, byte-order marks at the start. Linear; a clean text is returned
 * as it is.
 *
 * Carriage returns before a newline belong to the line ending and are counted separately; a lone one is a control character. A
 * sequence that is not finished loses its introducer only, so no text is ever hidden by it.
 */
export function stripControls(text: string): StrippedText {
  if (!ANY.test(text)) return { text, removed: 0, carriageReturns: 0 };
  const ended = text.replace(LINE_END, "");
  const clean = ended.replace(STRIPPED, "");
  const start = clean.search(/[^\ufeff]|$/);
  return {
    text: clean.slice(start),
    removed: ended.length - clean.length + start,
    carriageReturns: text.length - ended.length,
  };
}

/**
 * Escapes the characters that {@link stripControls} removes, and tab and newline, as `\x1b`, `\u202e`, `\t` or `\n`: a
 * file name or a command on one row, with nothing hidden. For display: a backslash stays single, so it cannot be
 * undone.
 */
export function showControls(text: string): string {
  return text.replace(SHOWN, (char) => SHORT_NAMES[char] ?? escapeOf(char.charCodeAt(0)));
}

/**
 * Characters without a width that no script needs: soft hyphens, zero-width spaces and no-breaks, word joiners, tags, supplementary
 * variation selectors, fillers. Joiners (U+200C, U+200D) and the selectors of emoji are needed, but never two of them in a row.
 */
const WITHOUT_WIDTH =
  /\u034f|[\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]|[\ufe00-\ufe0f]{2,}|[\u200c\u200d]{2,}/gu;

/** As {@link stripControls}, and also removes invisible characters that could hide text from a reader, of a text by a stranger. */
export function stripInvisible(text: string): StrippedText {
  const stripped = stripControls(text);
  let { removed } = stripped;
  const clean = stripped.text.replace(WITHOUT_WIDTH, (match: string) => {
    removed += [...match].length;
    return "";
  });
  return { ...stripped, text: clean, removed };
}

/**
 * Characters that change or hide what a reader takes a text for: controls, formats (bidirectional, zero-width, tags), separators but
 * the space, private ones, noncharacters, lone surrogates, what a font draws nothing for by default (fillers, variation selectors), and
 * blank symbols (braille, the head of a note).
 */
const DECEPTIVE_SET =
  "\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Noncharacter_Code_Point}\\p{Default_Ignorable_Code_Point}" +
  "\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\u2800\\u{1d159}";
const DECEPTIVE = new RegExp(`[${DECEPTIVE_SET}]`, "gu");
/** So many in a row push the rest of a line out of sight, also as escapes. */
const BLANK_RUN = new RegExp(`[ ${DECEPTIVE_SET}]{40,}`, "gu");

/** Counts spaces, tabs and what {@link showDeceptive} escapes where 40 or more are in a row on a line: "[300 invisible characters]". */
export function shortenRuns(line: string): string {
  return line.replace(BLANK_RUN, (run: string, start: number) => {
    const isIndent = start === 0 || start + run.length === line.length;
    if (isIndent && /^[ \t]*$/.test(run)) return run;
    return ` [${[...run].length} ${/^ *$/.test(run) ? "spaces" : "invisible characters"}] `;
  });
}

/**
 * As {@link showControls}, and also escapes characters that are invisible or look like a space: for what a user is asked to allow.
 * Newlines and tabs stay.
 */
export function showDeceptive(text: string): string {
  const escaped = (char: string) => SHORT_NAMES[char] ?? escapeOf(char.codePointAt(0) ?? 0);
  return text.replace(DECEPTIVE, (char) => (char === "\n" || char === "\t" ? char : escaped(char)));
}

/**
 * Escapes in JSON the characters that {@link stripControls} removes: a serializer leaves DEL, C1 and bidirectional controls
 * unescaped. Newlines and tabs between values stay.
 */
export function escapeControls(json: string): string {
  return json.replace(IN_JSON, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const SHORT_NAMES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function escapeOf(code: number): string {
  const digits = code.toString(16);
  if (code > 0xffff) return `\\u{${digits}}`;
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
}
