import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { secretRedactor } from "./redaction.js";
import { mayHoldSecret } from "./secret-shapes.js";
import { formsOf, isSecretName, secretsIn } from "./secret-values.js";

const VALUE = "correct horse/battery+9'x\"";
const redactor = secretRedactor({ secrets: [{ name: "MY_KEY", value: VALUE }] });
const redact = (text: string) => redactor.redact(text);
const letters = (length: number) => "aB3dE5gH7jK9mN1pQ".repeat(20).slice(0, length);
const PEM = `-----BEGIN OPENSSH PRIVATE KEY-----\n${letters(70)}\n${letters(64)}\n-----END OPENSSH PRIVATE KEY-----`;

/** A token of each known shape, and its kind. */
const TOKENS: readonly (readonly [kind: string, token: string])[] = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((start) => ["github-token", start + letters(36)] as const),
  ["github-token", `github_pat_${letters(22)}_${letters(59)}`],
  ["gitlab-token", `glpat-${letters(20)}`],
  ["aws-key", "AKIAIOSFODNN7EXAMPLE"],
  ["slack-token", `xoxb-123456789012-${letters(24)}`],
  ["stripe-key", `sk_live_${letters(24)}`],
  ["api-key", `sk-ant-api03-${letters(90)}`],
  ["api-key", `sk-proj-${letters(40)}`],
  ["google-key", `AIza${letters(35)}`],
  ["npm-token", `npm_${letters(36)}`],
  ["pypi-token", `pypi-${letters(80)}`],
  ["jwt", `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`],
  ["private-key", PEM],
];

describe("tokens", () => {
  it.each(TOKENS)("of the kind %s are found: %s", (kind, token) => {
    for (const [before, after] of [
      ["", ""],
      ["key=", "\n"],
      ['{"a":"', '"}'],
      ["\\n", "\\n"],
      ["é ", " é"],
    ])
      expect(redact(before + token + after)).toBe(`${before}⟦redacted:${kind}⟧${after}`);
  });

  it("are found where only a part of the text is secret", () => {
    expect(redact(`Authorization: Bearer ${letters(24)}`)).toBe("Authorization: Bearer ⟦redacted:authorization⟧");
    expect(redact(`"authorization": "Basic ${letters(20)}=="`)).toBe(
      '"authorization": "Basic ⟦redacted:authorization⟧"',
    );
    expect(redact("postgres://ada:hunter2@db/x")).toBe("postgres://ada:⟦redacted:password⟧@db/x");
    const aws = `${letters(20)}/${letters(19)}`;
    for (const name of ["aws_secret_access_key = ", 'AWS_SECRET_ACCESS_KEY="', '"SecretAccessKey": "'])
      expect(redact(name + aws)).toBe(`${name}⟦redacted:aws-secret⟧`);
  });

  it("are found in a private key that is truncated, and not in what only names one", () => {
    expect(redact(PEM.slice(0, 120))).toBe("⟦redacted:private-key⟧");
    const code = 'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return parse(text);';
    expect(redact(code)).toBe(code);
  });

  it.each([
    "risk-management-of-many-Things-in-2024",
    "sk-fading-circle-with-many-lower-case-words",
    "the bearer authentication-of-the-request",
    "https://user:password@example.com https://u:$PW@h http://h:80/a@b",
    "ghp_short npm_config_registry pypi-server sk_live_",
    "node_modules/.pnpm/@babel+core@7.26.0/node_modules/@babel/core/lib/index.js",
    "sha512-Kx9Uzb2Gtu3rFSJDcqfVvTDK8ZmGqIlLhDQ1s2iaDSqCpHtFjnbmUu8Q9dR3VUvzkYXk8AzHrBxqOJwQ==",
  ])("are not seen in ordinary text: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("known values", () => {
  it("are found in every form in which programs write them", () => {
    const encode = (text: string) => Buffer.from(text).toString("base64");
    for (const text of [
      VALUE,
      JSON.stringify(VALUE),
      encodeURIComponent(VALUE),
      new URLSearchParams({ a: VALUE }).toString(),
      `'${VALUE.replaceAll("'", "'\\''")}'`,
      encode(VALUE),
      encode(`u:${VALUE}`),
      encode(`us:${VALUE}`),
      Buffer.from(`?${VALUE}`).toString("base64url"),
    ])
      expect([text, redact(text)]).toEqual([text, expect.stringContaining("⟦redacted:MY_KEY⟧")]);
  });

  it("are found line by line if they have several lines", () => {
    const shown = secretRedactor({ secrets: [{ name: "K", value: PEM }] }).redact(`12: ${letters(70)}`);
    expect(shown).toBe("12: ⟦redacted:K⟧");
  });

  it("are the longest of those that begin at one place", () => {
    const two = secretRedactor({
      secrets: [
        { name: "a", value: "12345678" },
        { name: "b", value: "12345678-90" },
      ],
    });
    expect(two.redact("12345678-90 12345678")).toBe("⟦redacted:b⟧ ⟦redacted:a⟧");
  });

  it("come from variables that are named as secrets, unless ordinary text holds them too", () => {
    const yes = [
      "GITHUB_TOKEN",
      "AWS_SECRET_ACCESS_KEY",
      "DB_PASSWORD",
      "OPENAI_API_KEY",
      "X-Api-Key",
      "KEY",
      "Cookie",
    ];
    const no = ["PATH", "TOKEN_FILE", "AWS_ACCESS_KEY_ID", "KEYBOARD", "MONKEY_NAME", "SECRET_PATH", "SSH_AUTH_SOCK"];
    expect([yes.filter((name) => !isSecretName(name)), no.filter(isSecretName)]).toEqual([[], []]);
    const { secrets, ignored } = secretsIn({
      A_TOKEN: "t0ken-value",
      DB_PASSWORD: "postgres",
      B_KEY: "/run/keys/b",
      C: "x",
    });
    expect(secrets).toEqual([{ name: "A_TOKEN", value: "t0ken-value" }]);
    expect(ignored).toHaveLength(2);
  });
});

/** Texts in which secrets meet each other, marks, and parts of themselves. */
const piece = fc.oneof(
  fc.constantFrom(
    ...TOKENS.map(([, token]) => token),
    ...formsOf(VALUE),
    "⟦redacted:x⟧",
    "⟦",
    "⟧",
    "redacted:",
    "Bearer ",
  ),
  fc.constantFrom(
    ...TOKENS.map(([, token]) => token.slice(0, 12)),
    "://a:",
    "@",
    "-",
    ".",
    " ",
    "\n",
    "\\n",
    "-----END X-----",
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);
const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

describe("redaction", () => {
  it("twice is redaction once", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(redact(redact(text))).toBe(redact(text));
      }),
    );
  });

  it("leaves no token whole, whatever is around it", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...TOKENS), texts, (before, [, token], after) => {
        expect(redact(`${before} ${token}\n${after}`)).not.toContain(` ${token}\n`);
      }),
    );
  });

  it("skips the search only where there is nothing to find", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shapes = secretRedactor();
        fc.pre(!mayHoldSecret(text));
        // The same text where it cannot skip the search.
        const found = shapes.redact(`${text}\n${TOKENS[0]![1]}`);
        expect(found).toBe(`${text}\n⟦redacted:github-token⟧`);
      }),
    );
  });

  /** Each repeats what a search has to begin anew, to 1 MiB: quadratic work would take hours. */
  it.each([
    "a",
    " ",
    "-",
    "_",
    "ghp_",
    "github_pat_",
    "sk-",
    "-sk-",
    "sk-A1",
    "eyJ",
    " eyJ",
    ".eyJ",
    "eyJaaaaaaaa.",
    "\\neyJaaaaaaaaa",
    "eyJaaaaaaaa.eyJaaaaaaaa ",
    "://",
    "://a:",
    "://a:b",
    ":a@",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN ",
    "-----END ",
    "Bearer ",
    "Bearer aaaaaaaaaaaaaaaaaaaaaaaa ",
    "secret_access_key=",
    "AKIA",
    "AIza",
    "⟦redacted:",
    "⟦redacted:x⟧",
    "authorization: Basic ",
    "correct horse",
    VALUE.slice(0, -1),
    VALUE,
    letters(60),
    `${letters(60)} PRIVATE KEY `,
    `${letters(39)}=`,
  ])("ends for 1 MiB of %j", (unit) => {
    const text = unit.repeat(Math.ceil(2 ** 20 / unit.length));
    expect(redact(redact(text)).length).toBeLessThanOrEqual(redact(text).length);
    expect(redactor.incompleteLength(text)).toBeLessThanOrEqual(text.length);
  });
});
