/** Secrets whose values are known: the forms in which a text may hold them, and which environment variables are secret. */

/** A value that is not shown, and what stands in its place: the name of its variable. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}

/** A shorter value is also a part of ordinary text. */
export const MIN_SECRET_LENGTH = 8;
/** A line of a secret of several lines is hidden by itself if it has this many characters. */
const MIN_LINE_LENGTH = 20;

const SECRET_NAME =
  /(?:TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIALS?|API_?KEY|(?:^|_)(?:KEY|PAT|PWD)$|ACCESS_?KEY|PRIVATE_?KEY|^AUTHORIZATION$|COOKIE)/;
/** Names of places in which a secret is. */
const PLACE_NAME = /(?:_|^)(?:FILE|PATH|DIR|URL|HOST|SOCK|ID|NAME|USER|TTL|EXPIRY|ENDPOINT)$/;

/** Whether an environment variable or an HTTP header of this name holds a secret, by its name. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase().replaceAll("-", "_");
  return SECRET_NAME.test(upper) && !PLACE_NAME.test(upper);
}

/** Why a value cannot be hidden, as a clause; undefined if it can. */
function unhidableReason(value: string): string | undefined {
  if (value.length < MIN_SECRET_LENGTH)
    return `it has ${value.length} characters, and at least ${MIN_SECRET_LENGTH} are needed`;
  return /^(?:[a-z]{1,12}|\d{1,10}|[./~][\w.-]*(?:\/[\w.-]+)+)$/.test(value)
    ? "it is a word, a number or a path, which ordinary text contains too"
    : undefined;
}

/** The secret variables of an environment, or HTTP headers, and those whose value cannot be hidden. */
export function secretsIn(variables: Readonly<Record<string, string>>): {
  readonly secrets: readonly NamedSecret[];
  /** Sentences. */
  readonly ignored: readonly string[];
} {
  const secrets: NamedSecret[] = [];
  const ignored: string[] = [];
  for (const [name, whole] of Object.entries(variables)) {
    if (!isSecretName(name) || whole === "") continue;
    // A header: "Bearer TOKEN".
    const value = /^(?:bearer|basic|token) +(\S+)$/i.exec(whole)?.[1] ?? whole;
    const why = unhidableReason(value);
    if (why === undefined) secrets.push({ name, value });
    else ignored.push(`The value of ${name} is not redacted: ${why}.`);
  }
  return { secrets, ignored };
}

/** The forms of a value: as it is, in base64 at any place of other bytes, in a URL, in JSON, and quoted for a shell. */
export function formsOf(value: string): readonly string[] {
  const base64 = [0, 1, 2].map((before) => base64Within(value, before));
  const lines = value.includes("\n") ? value.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_LENGTH) : [];
  const forms = [
    value,
    value.trimEnd(),
    ...lines,
    ...base64,
    ...base64.map((one) => one.replaceAll("+", "-").replaceAll("/", "_")),
    ...urlForms(value),
    JSON.stringify(value).slice(1, -1),
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", "'\"'\"'"),
    value.replaceAll(/[^\w@%+=:,./-]/g, "\\$&"),
    value.replaceAll(/["$`\\]/g, "\\$&"),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

function urlForms(value: string): readonly string[] {
  // A lone surrogate has no bytes.
  const encoded = encodeURIComponent(new TextDecoder().decode(new TextEncoder().encode(value)));
  const strict = encoded.replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return [encoded, strict, strict.replaceAll("%20", "+")];
}

/** The base64 characters that depend on the value alone if `before` bytes, modulo 3, are before it. */
function base64Within(value: string, before: number): string {
  const bytes = new TextEncoder().encode(value);
  const padded = new Uint8Array(before + bytes.length);
  padded.set(bytes, before);
  const whole = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(""));
  return whole.slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6));
}
