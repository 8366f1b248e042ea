/**
 * Which URLs of a response are of its server. A response may repeat what the request has sent, such as the query of a search: a URL
 * that the model has written itself is not one that it was shown, whatever shows it.
 */

import { stripInvisible } from "../text/index.js";

/** Encodings of a text inside of each other that are decoded. */
const MAX_ENCODINGS = 5;

/** What may be the host of a URL, as it is written in a text. */
const HOST = /\[[\da-f:.]+\]|[^\s/?#\\&=<>"'`()[\]{}|^@,;:]+/gi;
/** What follows a host in a URL. */
const CONTINUES = /[/?#\\:]/;

/**
 * Without the URLs that the requests of a call have sent, however they are encoded. Of a host that was requested, these are the URLs that
 * occur in what was sent; of another host, all of its URLs where a URL of it occurs, since the response may have changed that.
 *
 * @param requests - The URLs that were requested.
 * @param texts - What else was sent. A text that is one of `requests` stands for that request.
 */
export function withoutEchoes(
  urls: readonly string[],
  requests: readonly string[],
  texts: readonly string[] = [],
): readonly string[] {
  const requested = requests.flatMap((text) => httpUrl(text) ?? []);
  const hosts = new Set(requested.map(hostOf));
  const addresses = new Set(requested.map(addressOf));
  const sentOf = (text: string) => {
    const url = httpUrl(text);
    return url !== undefined && addresses.has(addressOf(url)) ? restOf(url) : text;
  };
  let decoded: readonly string[] | undefined;
  let written: ReadonlyMap<string, "url" | "alone"> | undefined;
  return urls.filter((text) => {
    const url = httpUrl(text);
    if (url === undefined) return false;
    decoded ??= [...requested.map(restOf), ...texts.map(sentOf)].flatMap(decodings);
    if (hosts.has(hostOf(url))) return !isWritten(url.host + url.pathname + url.search, decoded);
    written ??= writtenHosts(decoded);
    const how = written.get(hostOf(url));
    const path = url.pathname + url.search;
    return how === undefined || (how === "alone" && path !== "/" && !isWritten(path, decoded));
  });
}

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}

const hostOf = ({ hostname }: URL) => hostname.replace(/\.$/, "");
const restOf = ({ pathname, search, hash }: URL) => pathname + search + hash;
const addressOf = ({ origin, pathname, search }: URL) => origin + pathname + search;

/** A text in lowercase, and what it is when it is decoded; each also without what a parser of URLs or a renderer removes. */
function decodings(text: string): readonly string[] {
  const all = [text];
  for (let form = text; all.length <= MAX_ENCODINGS; ) {
    const decoded = form.replaceAll("+", " ").replace(/(?:%[\da-f]{2})+/gi, bytesOf);
    if (decoded === form) break;
    all.push(decoded);
    form = decoded;
  }
  const forms = new Set(all.flatMap((form) => [form, stripInvisible(form).text.replace(/[\t\n\r]/g, "")]));
  return [...forms].map((form) => form.toLowerCase());
}

const utf8 = new TextDecoder();

function bytesOf(encoded: string): string {
  return utf8.decode(Uint8Array.from(encoded.slice(1).split("%"), (byte) => Number.parseInt(byte, 16)));
}

/** The hosts in some texts, as URLs have them: "url" where one is the host of a URL, "alone" where nothing follows it. */
function writtenHosts(texts: readonly string[]): ReadonlyMap<string, "url" | "alone"> {
  const hosts = new Map<string, "url" | "alone">();
  for (const text of texts)
    for (const match of text.matchAll(HOST)) {
      const url = httpUrl(`http://${match[0]}`);
      if (url === undefined) continue;
      const host = hostOf(url);
      const isUrl = CONTINUES.test(text[match.index + match[0].length] ?? "");
      if (isUrl || !hosts.has(host)) hosts.set(host, isUrl ? "url" : "alone");
    }
  return hosts;
}

function isWritten(address: string, texts: readonly string[]): boolean {
  return decodings(address).some((one) => texts.some((text) => text.includes(one)));
}
