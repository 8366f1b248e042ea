/** The URL of a PostgreSQL database. */
import { HaftError } from "../kernel/index.js";

/** Whether a text is meant as the URL of a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/**
 * The URL without its password and options, as it may be shown.
 * @throws `CONFIG_INVALID` for a text that is not such a URL; the message does not repeat it, because it may hold a password.
 */
export function shownStoreUrl(url: string): string {
  const parsed = parsedUrl(url);
  const user = parsed.username === "" ? "" : `${parsed.username}@`;
  return `postgres://${user}${parsed.host}${parsed.pathname}`;
}

/** What must not be shown of the URL: the passwords in it, as they are written there and as they are meant. */
export function secretsOfStoreUrl(url: string): readonly string[] {
  const { password, searchParams } = parsedUrl(url);
  const found = [password, decoded(password), ...searchParams.getAll("password")];
  return [...new Set(found)].filter((secret) => secret !== "");
}

function parsedUrl(url: string): URL {
  try {
    if (isPostgresUrl(url)) return new URL(url);
  } catch {}
  throw new HaftError(
    "CONFIG_INVALID",
    "Did not open the state: the URL of the store is not of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE. Correct it; " +
      "write characters such as @ and / in a password as %40 and %2F.",
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
