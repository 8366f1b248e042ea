/** Tokens, keys and passwords that can be recognised by their form. Every search here takes time linear in the text. */

/** A part of a text that is not shown. */
export interface SecretRange {
  readonly from: number;
  readonly to: number;
  /** What it is, as the mark in its place says: "github-token". */
  readonly kind: string;
}

/** The text in place of a secret. `write` and `edit` refuse it. */
export const MARK = "⟦redacted:[^⟦⟧\\n]{0,100}⟧";

/** The longest secret, in characters: what is longer is found in parts. */
export const MAX_SECRET_LENGTH = 16 * 1024;

/** What is before a token whose beginning is also a part of ordinary words. In JSON, `\n` may be before it. */
const BEFORE = "(?:^|[^\\w⟧-]|\\\\[nrt])";
const ASSIGNED = "[\"']?[ \\t]{0,4}(?:=>|[:=])[ \\t]{0,4}[\"']?";
const AWS_SECRET = `[Ss](?:ecret|ECRET)_?[Aa](?:ccess|CCESS)_?[Kk](?:ey|EY)${ASSIGNED}`;
const URL_START = "://[^\\s/:@\"'<>`⟦]{0,256}:";
const PEM_BEGIN = "-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----";

/** Each begins with literal text, and no repetition can match what follows it, so none is tried twice. */
const SHAPES: readonly (readonly [kind: string, source: string])[] = [
  ["", MARK],
  ["github-token", "gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\\w{20,}"],
  ["gitlab-token", "glpat-[\\w-]{16,}"],
  ["aws-key", "A[KS]IA[A-Z0-9]{16,}"],
  ["slack-token", "xox[abeoprs]-[\\w-]{16,}"],
  ["stripe-key", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"],
  ["api-key", `sk-(?<=${BEFORE}sk-)[\\w-]{20,}`],
  ["google-key", "AIza[\\w-]{35,}"],
  ["npm-token", "npm_[A-Za-z0-9]{36,}"],
  ["pypi-token", "pypi-[\\w-]{50,}"],
  ["jwt", `eyJ(?<=${BEFORE}eyJ)[\\w-]{13,}\\.eyJ[\\w-]{8,}\\.[\\w-]*`],
  ["authorization", "(?:[Bb]earer|BEARER)[ \\t]{1,8}[\\w.~+/-]{16,}=*"],
  ["authorization", `[Bb]asic(?<=[Aa]uthorization${ASSIGNED}[Bb]asic)[ \\t]{1,8}[A-Za-z0-9+/]{8,}=*`],
  ["aws-secret", `${AWS_SECRET}[A-Za-z0-9/+]{40,}`],
  ["password", `${URL_START}[^\\s/@"'<>\`⟦]{1,256}@`],
  ["private-key", PEM_BEGIN],
];

const ANY_SHAPE = new RegExp(SHAPES.map(([, source]) => `(${source})`).join("|"), "g");
/** What may be short: a password in a URL, and a credential in which dots are. */
const SHORT_RUNS = new RegExp(`${URL_START}[^\\s/@"'<>\`⟦]{1,256}@|(?:earer|EARER|asic)[ \\t]`);
/** What a run of token characters, with a few characters before it, holds where it may be a token. */
const RUN_HINT = /gh[pousr]_|github_pat_|glpat-|A[KS]IA|xox[abeoprs]-|[sr]k_|sk-|AIza|npm_|pypi-|eyJ/;
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
      if (length >= LONG_RUN) isKey ??= /PRIVATE KEY|CCESS_?KEY|ccess_?[Kk]ey/.test(text);
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
    const kind = SHAPES[which]![0];
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
  if (kind === "authorization") {
    const secret = /[^ \t]*$/.exec(match)![0];
    return /\d|=$/.test(secret) || !/^[\w.-]*$/.test(secret) ? { from: to - secret.length, to, kind } : undefined;
  }
  if (kind === "aws-secret") return { from: at + match.search(/[A-Za-z0-9/+]{40,}$/), to, kind };
  if (kind === "password") {
    const from = at + match.indexOf(":", 3) + 1;
    return PLACEHOLDER_PASSWORD.test(text.slice(from, to - 1)) ? undefined : { from, to: to - 1, kind };
  }
  return kind === "private-key" ? pemRange(at, to, text) : { from: at, to, kind };
}

/** What documentation writes in place of a password. */
const PLACEHOLDER_PASSWORD = /^(?:[$%{[(*].*|x+|\.+|…|pass|passw(?:or)?d|pwd|secret|token)$/i;
const PEM_BODY = /^[A-Za-z0-9+/=\s\\:,."'|>#*-]*/;
const PEM_END = /^-----END [A-Z0-9 ]{1,60}-----/;
/** Of an Ed25519 key; an example such as "..." has fewer. */
const MIN_PEM_BODY = 40;

/** A PEM block to its end, or as far as it goes where the text is truncated. */
function pemRange(from: number, bodyFrom: number, text: string): SecretRange | undefined {
  const dashes = text.indexOf("-----", bodyFrom);
  const bodyEnd = Math.min(dashes === -1 ? text.length : dashes, bodyFrom + MAX_SECRET_LENGTH);
  const to = bodyFrom + PEM_BODY.exec(text.slice(bodyFrom, bodyEnd))![0].length;
  if (to - bodyFrom < MIN_PEM_BODY) return undefined;
  return { from, to: to + (PEM_END.exec(text.slice(to, to + 80))?.[0].length ?? 0), kind: "private-key" };
}

/** How secrets begin, and the characters that may follow. */
const BEGINNINGS: readonly (readonly [literals: readonly string[], rest: RegExp])[] = [
  [["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "pypi-", "sk-", "AIza"], /[\w-]/],
  [["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "AKIA", "ASIA", "npm_"], /[\w-]/],
  [["sk_live_", "sk_test_", "rk_live_", "rk_test_"], /\w/],
  [["eyJ"], /[\w.-]/],
  [["Bearer ", "bearer ", "BEARER ", "Basic ", "basic "], /[\w.~+/= \t-]/],
  [["http://", "https://", "postgres://", "postgresql://", "mysql://", "mongodb://", "redis://"], /[^\s/@"'<>`⟦]/],
  [["secret_access_key", "SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"], /[\w"' \t:=>/+]/],
  [["-----BEGIN "], /[A-Z0-9 -]/],
];
/** One character of a beginning is not held back: it is the end of too many texts, such as prompts. */
const MIN_BEGINNING = 2;

/** How many characters at the end of a text may be the beginning of a secret that continues after it. */
export function incompleteShapeLength(text: string): number {
  const tail = text.slice(-MAX_SECRET_LENGTH);
  const block = tail.lastIndexOf("-----BEGIN ");
  const isOpen = block !== -1 && tail.indexOf("-----END ", block) === -1;
  if (isOpen && new RegExp(`^${PEM_BEGIN}`).test(tail.slice(block, block + 100))) return tail.length - block;
  let longest = 0;
  for (const [literals, rest] of BEGINNINGS) {
    let run = tail.length;
    while (run > 0 && rest.test(tail[run - 1]!)) run--;
    for (const literal of literals) longest = Math.max(longest, tail.length - beginningIn(tail, literal, run));
  }
  return longest;
}

/** Where a secret may begin that has reached the end of the text: with a whole literal before `run` ends, or a part of one at the end. */
function beginningIn(tail: string, literal: string, run: number): number {
  const whole = tail.indexOf(literal, Math.max(0, run - literal.length));
  if (whole !== -1) return whole;
  for (let length = literal.length - 1; length >= MIN_BEGINNING; length--) {
    const at = tail.length - length;
    if (tail.endsWith(literal.slice(0, length)) && !/\w/.test(tail[at - 1] ?? "")) return at;
  }
  return tail.length;
}
