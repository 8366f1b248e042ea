/** Tokens, keys and passwords that can be recognised by their form. Every search here takes time linear in the text. */
import { REDACTION_MARK } from "../text/index.js";

/** A part of a text that is not shown. */
export interface SecretRange {
  readonly from: number;
  readonly to: number;
  /** What it is, as the mark in its place says: "github-token". */
  readonly kind: string;
}

/** The longest secret, in characters: what is longer is found in parts. */
export const MAX_SECRET_LENGTH = 16 * 1024;

/** What is before a token whose beginning is also a part of ordinary words. In JSON, `\n` may be before it. */
const BEFORE = "(?:^|[^\\w⟧-]|\\\\[nrt])";

/** A fixed text, or a number of characters of a set. */
type Part = string | readonly [set: string, min: number, max?: number];

interface Shape {
  readonly kind: string;
  /** It begins with fixed characters, and no repetition can match what follows it, so none is tried twice. */
  readonly parts: readonly Part[];
  /** Not found within a word. */
  readonly isWord?: true;
}

const anyCase = (text: string): readonly Part[] =>
  [...text].map((one) => [`${one.toLowerCase()}${one.toUpperCase()}`, 1, 1]);
const BLANK = " \\t";
const ASSIGNED: readonly Part[] = [
  ["\"'", 0, 1],
  [BLANK, 0, 4],
  [":=", 1, 1],
  [">", 0, 1],
  [BLANK, 0, 4],
  ["\"'", 0, 1],
];
/** What ends a user or a password in a URL. With characters that a shell obeys, a command could be hidden as a password. */
const NOT_IN_URL = "\\s/?#@\"'<>`⟦$();|&{}\\\\";

/** No set has white space that breaks lines or characters that a shell obeys. */
const SHAPES: readonly Shape[] = [
  { kind: "github-token", parts: ["gh", ["pousr", 1, 1], "_", ["A-Za-z0-9", 20]] },
  { kind: "github-token", parts: ["github_pat_", ["\\w", 20]] },
  { kind: "gitlab-token", parts: ["glpat-", ["\\w-", 16]] },
  { kind: "aws-key", parts: ["A", ["KS", 1, 1], "IA", ["A-Z0-9", 16]] },
  { kind: "slack-token", parts: ["xox", ["abeoprs", 1, 1], "-", ["\\w-", 16]] },
  { kind: "stripe-key", parts: [["sr", 1, 1], "k_live_", ["A-Za-z0-9", 20]], isWord: true },
  { kind: "stripe-key", parts: [["sr", 1, 1], "k_test_", ["A-Za-z0-9", 20]], isWord: true },
  { kind: "api-key", parts: ["sk-", ["\\w-", 20]], isWord: true },
  { kind: "google-key", parts: ["AIza", ["\\w-", 35]] },
  { kind: "npm-token", parts: ["npm_", ["A-Za-z0-9", 36]] },
  { kind: "pypi-token", parts: ["pypi-", ["\\w-", 50]] },
  { kind: "jwt", parts: ["eyJ", ["\\w-", 13], ".eyJ", ["\\w-", 8], ".", ["\\w-", 0]], isWord: true },
  { kind: "authorization", parts: [...anyCase("bearer"), [BLANK, 1, 8], ["\\w.~+/-", 16], ["=", 0]] },
  {
    kind: "authorization",
    parts: [...anyCase("authorization"), ...ASSIGNED, ...anyCase("basic"), [BLANK, 1, 8], ["A-Za-z0-9+/", 8], ["=", 0]],
  },
  {
    kind: "aws-secret",
    parts: [
      ...anyCase("secret"),
      ["_", 0, 1],
      ...anyCase("access"),
      ["_", 0, 1],
      ...anyCase("key"),
      ...ASSIGNED,
      ["A-Za-z0-9/+", 40],
    ],
  },
  // The last characters are for the digest of an image, which is not secret.
  {
    kind: "password",
    parts: ["://", [`^:${NOT_IN_URL}`, 0, 256], ":", [`^${NOT_IN_URL}`, 1, 256], "@", ["a-z0-9:", 0, 7]],
  },
];
const PEM_BEGIN = "-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----";

const escaped = (text: string) => text.replaceAll(/[.\\/-]/g, "\\$&");
const sourceOf = (part: Part) =>
  typeof part === "string" ? escaped(part) : `[${part[0]}]{${part[1]},${part[2] ?? ""}}`;

/** Looks for what is before a word after its first part: most places do not have it. */
function shapeSource({ parts: [first = "", ...rest], isWord }: Shape): string {
  const start = sourceOf(first);
  return `${start}${isWord ? `(?<=${BEFORE}${start})` : ""}${rest.map(sourceOf).join("")}`;
}

const ANY_SHAPE = new RegExp(
  [REDACTION_MARK, ...SHAPES.map(shapeSource), PEM_BEGIN].map((source) => `(${source})`).join("|"),
  "g",
);
const KINDS = ["", ...SHAPES.map(({ kind }) => kind), "private-key"];
/** What may be short: a password in a URL, and a credential in which dots are. */
const SHORT_RUNS = new RegExp(
  `://[^:${NOT_IN_URL}]{0,256}:[^${NOT_IN_URL}]{1,256}@|[eE][aA][rR][eE][rR][ \\t]|[aA][sS][iI][cC][ \\t]`,
);
/** What a run of token characters, with a few characters before it, holds where it may be a token. */
const RUN_HINT = /gh[pousr]_|github_pat_|glpat-|A[KS]IA|xox[abeoprs]-|[sr]k_(?:live|test)_|sk-|AIza|npm_|pypi-|eyJ/;
const RUN_CONTEXT = 16;
/** Every other shape has this many token characters in a row. */
const MIN_RUN = 16;
/** A key of AWS or a line of a PEM block. */
const LONG_RUN = 40;

/** 1 for the ASCII characters of tokens. */
const IS_TOKEN = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/")
  IS_TOKEN[character.charCodeAt(0)] = 1;

/**
 * Whether a text may hold a secret: false for nearly all texts, at a small part of the cost of the search. It looks at every
 * `MIN_RUN`th character, and around it where that is one of a token.
 */
export function mayHoldSecret(text: string): boolean {
  return hasTokenLikeRun(text) || SHORT_RUNS.test(text);
}

function hasTokenLikeRun(text: string): boolean {
  let isKey: boolean | undefined;
  const isToken = (at: number): boolean => IS_TOKEN[text.charCodeAt(at)] === 1;
  for (let probe = MIN_RUN - 1, before = -1; probe < text.length; probe += MIN_RUN) {
    let from = probe;
    while (from > before && isToken(from)) from--;
    if (from === probe) continue;
    let to = probe + 1;
    while (to < text.length && isToken(to)) to++;
    const length = to - from - 1;
    if (length >= MIN_RUN) {
      if (RUN_HINT.test(text.slice(Math.max(0, from + 1 - RUN_CONTEXT), to))) return true;
      if (length >= LONG_RUN) isKey ??= /PRIVATE KEY|access_?key/i.test(text);
      if (isKey === true) return true;
    }
    // The run is known: the next probe is among the characters after it.
    before = to - 1;
    probe = Math.max(probe, to);
  }
  return false;
}

/** The secrets of a text by their form, in order. */
export function secretShapesIn(text: string): readonly SecretRange[] {
  const found: SecretRange[] = [];
  const pattern = new RegExp(ANY_SHAPE);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    const kind = KINDS[which]!;
    const range = kind === "" ? undefined : rangeOf(kind, match[0], match.index, text);
    if (range !== undefined) {
      found.push(range);
      pattern.lastIndex = range.to;
    } else if (kind !== "") pattern.lastIndex = match.index + 3;
  }
  return found;
}

/** The part of a match that is secret; undefined where it only looks like a secret. */
function rangeOf(kind: string, match: string, at: number, text: string): SecretRange | undefined {
  const to = at + match.length;
  if (kind === "api-key") return /\d/.test(match) && /[A-Z]/.test(match) ? { from: at, to, kind } : undefined;
  if (kind === "stripe-key") return /\d/.test(match) ? { from: at, to, kind } : undefined;
  if (kind === "authorization") {
    const secret = /[^ \t]*$/.exec(match)![0];
    return /\d|=$/.test(secret) || !/^[\w.-]*$/.test(secret) ? { from: to - secret.length, to, kind } : undefined;
  }
  if (kind === "aws-secret") return { from: at + match.search(/[A-Za-z0-9/+]{40,}$/), to, kind };
  if (kind === "password") {
    const from = at + match.indexOf(":", 3) + 1;
    const end = at + match.indexOf("@");
    const isOrdinary = PLACEHOLDER_PASSWORD.test(text.slice(from, end)) || /@sha\d{3}:$/.test(match);
    return isOrdinary ? undefined : { from, to: end, kind };
  }
  return kind === "private-key" ? pemRange(at, to, text) : { from: at, to, kind };
}

/** What documentation writes in place of a password. */
const PLACEHOLDER_PASSWORD = /^(?:[%[*].*|x+|\.+|…|pass|passw(?:or)?d|pwd|secret|token)$/i;
/** A line break, also as JSON has it; a space where a shell joined the lines. */
const PEM_BREAK = "(?:[ \\t]{0,8}(?:\\r?\\n|(?:\\\\{1,4}r)?\\\\{1,4}n)[ \\t]{0,40}| )";
const PEM_HEADERS = new RegExp(
  `(?:${PEM_BREAK}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [\\w,.:+/ -]{0,100}){0,8}(?:${PEM_BREAK}(?=${PEM_BREAK}))?`,
  "y",
);
/** A command may be lower case letters and slashes. */
const NO_WORD = "(?=[a-z/]{0,100}[A-Z0-9+=])";
/** Shorter ones are also words of commands: only the last line, and the checksum after it. */
const PEM_LINE = new RegExp(`${PEM_BREAK}${NO_WORD}[A-Za-z0-9+/]{40,}={0,2}`, "y");
const PEM_END = `${PEM_BREAK}?-----END [A-Z0-9 ]{1,60}-----`;
const PEM_LAST = new RegExp(
  `(?:${PEM_BREAK}${NO_WORD}[A-Za-z0-9+/]{0,39}={0,2}(?:${PEM_BREAK}=[A-Za-z0-9+/]{4})?)?${PEM_END}`,
  "y",
);
/** The same where the text is truncated in the block. */
const PEM_REST = new RegExp(`${PEM_BREAK}(?:${NO_WORD}[A-Za-z0-9+/]{0,39}={0,2})?$`, "y");

/** A PEM block to its end, or its lines of base64 where the text is truncated; undefined for what only names one. */
function pemRange(from: number, bodyFrom: number, text: string): SecretRange | undefined {
  const after = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : at;
  };
  const first = after(PEM_HEADERS, bodyFrom);
  let to = first;
  for (let next = after(PEM_LINE, to); next > to && to - from < MAX_SECRET_LENGTH; next = after(PEM_LINE, to))
    to = next;
  if (to === first) return undefined;
  const end = after(PEM_LAST, to);
  return { from, to: end > to ? end : after(PEM_REST, to), kind: "private-key" };
}

/** How a shape is recognized at the end of a text that may continue. */
interface Beginning {
  /** Matches what it begins with, up to the end of the text. */
  readonly pattern: RegExp;
  /** The characters of the parts from the first one without a greatest length; undefined if all have one. */
  readonly run: RegExp | undefined;
  /** The most characters before them. */
  readonly headLength: number;
}

const BEGINNINGS: readonly Beginning[] = SHAPES.map(({ parts, isWord }) => {
  const sets = parts.flatMap((part) =>
    typeof part === "string" ? [...part].map((one) => [escaped(one), 1, 1] as const) : [part],
  );
  const [first, ...rest] = sets;
  const open = rest.reduceRight(
    (next, [set, min, max = ""]) => `(?:[${set}]{0,${max}}$|[${set}]{${min},${max}}${next})`,
    "$",
  );
  const unlimited = sets.findIndex(([, , max]) => max === undefined);
  const head = unlimited === -1 ? sets : sets.slice(0, unlimited);
  return {
    pattern: new RegExp(`${isWord ? `(?<=${BEFORE})` : ""}[${first![0]}]${open}`, "g"),
    run:
      unlimited === -1
        ? undefined
        : new RegExp(
            `[${sets
              .slice(unlimited)
              .map(([set]) => set)
              .join("")}]`,
          ),
    headLength: head.reduce((sum, [, , max = 0]) => sum + max, 0),
  };
});
const PEM_FIXED = "-----BEGIN ";
/** A block that has not reached its end, from its first character to the end of the text. */
const OPEN_PEM = /^-----BEGIN [A-Z0-9 ]{0,60}(?:-{0,4}|-----(?!.*-----END [A-Z0-9 ]{1,60}-----)[\w+/=\s\\:,.-]*)$/s;

const PEM_AT_END = /-----END [A-Z0-9 ]{1,60}-----$/;

/** How many characters at the end of a text may be the beginning of a secret that continues after it. */
export function incompleteShapeLength(text: string): number {
  const tail = text.slice(-MAX_SECRET_LENGTH);
  let from = tail.length;
  const block = tail.lastIndexOf(PEM_FIXED);
  if (block !== -1 && OPEN_PEM.test(tail.slice(block))) from = block;
  const isEnd = PEM_AT_END.test(tail.slice(-80));
  for (let length = isEnd ? 0 : PEM_FIXED.length - 1; length > 0; length--)
    if (tail.endsWith(PEM_FIXED.slice(0, length))) from = Math.min(from, tail.length - length);
  for (const { pattern, run, headLength } of BEGINNINGS) {
    let runFrom = tail.length;
    while (run !== undefined && runFrom > 0 && run.test(tail[runFrom - 1]!)) runFrom--;
    pattern.lastIndex = Math.max(0, runFrom - headLength);
    from = Math.min(from, pattern.exec(tail)?.index ?? tail.length);
  }
  // Half of an escaped line break: what follows it would look like a part of a word.
  return tail.length - (tail[from - 1] === "\\" ? from - 1 : from);
}
