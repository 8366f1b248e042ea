/** `file:` URLs in place of paths. */

/** An empty host, this machine's, or another's. */
const FILE_URL = /^file:(?:\/\/([^/]*)|(?!\/\/))(\/.*)$/is;

/** The path of a `file:` URL, or why it has none, as a clause; undefined if the text is not a `file:` URL. */
export function pathOfFileUrl(text: string): { readonly path: string } | { readonly problem: string } | undefined {
  const [, host = "", encoded] = FILE_URL.exec(text) ?? [];
  if (encoded === undefined) return /^file:\/\//i.test(text) ? { problem: "it has no absolute path" } : undefined;
  if (host !== "" && host.toLowerCase() !== "localhost") return { problem: `it names another host, \`${host}\`` };
  if (/^\/[a-z](?::|%3a)(?:\/|$)/i.test(encoded)) return { problem: "it contains a Windows path" };
  if (/[?#]/.test(encoded)) return { problem: "it contains `?` or `#`, which end the path of a URL" };
  if (/%2f|%00/i.test(encoded)) return { problem: "it contains an encoded `/` or NUL, which no file name can contain" };
  try {
    return { path: decodeURIComponent(encoded) };
  } catch {
    return { problem: "its `%` escapes are not UTF-8" };
  }
}
