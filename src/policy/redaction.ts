/** Replaces secrets in texts: known values in their usual forms, and tokens of known shapes. */
import type { Redactor } from "../kernel/index.js";
import { REDACTION_MARK } from "../text/index.js";
import { incompleteShapeLength, mayHoldSecret, type SecretRange, secretShapesIn } from "./secret-shapes.js";
import { formsOf, type NamedSecret } from "./secret-values.js";
import { ValueSearch } from "./value-search.js";

/** What a redactor hides beside what it recognizes by its form. */
export interface SecretRedactorOptions {
  /** Values that are not shown. A name is shown in place of its value. */
  readonly secrets?: readonly NamedSecret[];
}

/**
 * Replaces each secret with `⟦redacted:KIND⟧`. Linear in the text, and redacting twice changes nothing more.
 *
 * Tokens of GitHub, GitLab, AWS, Slack, Stripe, OpenAI, Anthropic, Google, npm and PyPI, JSON Web Tokens, private keys in PEM,
 * credentials of an `Authorization` header, and passwords in URLs are found by their form.
 */
export function secretRedactor({ secrets = [] }: SecretRedactorOptions = {}): Required<Redactor> {
  const values = new ValueSearch(
    secrets.flatMap(({ name, value }) => formsOf(value).map((text) => ({ text, kind: shownName(name) }))),
  );
  return {
    redact(text) {
      const known = values.in(text);
      const shaped = mayHoldSecret(text) ? secretShapesIn(text) : [];
      return known.length + shaped.length === 0 ? text : withMarks(text, joined(text, [...known, ...shaped]));
    },
    incompleteLength: (text) => Math.max(values.incompleteLength(text), incompleteShapeLength(text)),
  };
}

function shownName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, "").slice(0, 64) || "secret";
}

/** Ranges that overlap become one. What is within a mark of an earlier redaction stays as it is. */
function joined(text: string, ranges: readonly SecretRange[]): readonly SecretRange[] {
  const marks = [...text.matchAll(new RegExp(REDACTION_MARK, "g"))].map(
    ({ 0: mark, index }) => [index, index + mark.length] as const,
  );
  const all: SecretRange[] = [];
  let next = 0;
  for (const range of [...ranges].sort((a, b) => a.from - b.from || b.to - a.to)) {
    while (next < marks.length && marks[next]![1] <= range.from) next++;
    const mark = marks[next];
    if (mark !== undefined && mark[0] < range.to) continue;
    const last = all.at(-1);
    if (last === undefined || last.to <= range.from) all.push(range);
    else if (range.to > last.to) all[all.length - 1] = { ...last, to: range.to };
  }
  return all;
}

function withMarks(text: string, ranges: readonly SecretRange[]): string {
  let shown = "";
  let at = 0;
  for (const { from, to, kind } of ranges) {
    shown += `${text.slice(at, from)}⟦redacted:${kind}⟧`;
    at = to;
  }
  return shown + text.slice(at);
}
