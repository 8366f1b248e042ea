/** The URL of a store as it is configured, and the secrets in it. */
import { HaftError } from "../kernel/index.js";
import { isPostgresUrl, secretsOfStoreUrl } from "../stores/index.js";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * The URL with each `${NAME}` replaced by that variable. A text that is one variable alone takes it as it is; within a URL the
 * value is escaped, so that a password may have any characters.
 *
 * @param lookUp - The value of an environment variable.
 * @throws `CONFIG_INVALID` for a variable that is not set, and for what is not such a URL. The text is not repeated.
 */
export function filledStoreUrl(text: string, lookUp: (name: string) => string | undefined): string {
  const missing: string[] = [];
  const isWhole = text.replace(VARIABLE, "") === "";
  const url = text.replace(VARIABLE, (_, name: string) => {
    const value = lookUp(name);
    if (value === undefined || value === "") missing.push(name);
    return isWhole ? (value ?? "") : encodeURIComponent(value ?? "");
  });
  if (missing.length > 0)
    throw new HaftError(
      "CONFIG_INVALID",
      `Did not open the store: the environment variable ${missing.join(", ")} that its URL refers to is not set. Set it.`,
    );
  requireStoreUrl(url);
  return url;
}

/** Whether a password stands in the text itself, rather than in a variable that it refers to. */
export function hasPassword(text: string): boolean {
  const bare = text.replace(VARIABLE, "");
  return isPostgresUrl(bare) && secretsOfStoreUrl(bare).length > 0;
}

/** @throws `CONFIG_INVALID` for anything but the URL of a PostgreSQL database. */
export function requireStoreUrl(url: string): void {
  secretsOfStoreUrl(url);
}
