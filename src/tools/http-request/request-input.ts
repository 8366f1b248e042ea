/** Checks of a request before anything is claimed or sent. */
import { fail, type HttpHeaders, type RequestProblem, requestProblem, type ToolResult } from "../../kernel/index.js";
import { byteSize, REDACTION_MARK, utf8Length } from "../../text/index.js";
import { quoted, refusePath } from "../shared/path-input.js";
import type { HttpRequestInput } from "./contract.js";

export const MAX_BODY_BYTES = 1_048_576;

const PLACEHOLDER = new RegExp(REDACTION_MARK);

/** The URL of a request as it is sent, which is what the user is asked about: with its host in ASCII and without `..`. */
export function urlOf({ url }: Pick<HttpRequestInput, "url">): string {
  return new URL(url).href;
}

/** The headers of a request; the schema allows only texts. */
export function headersOf({ headers = {} }: Pick<HttpRequestInput, "headers">): HttpHeaders {
  return Object.entries(headers as Readonly<Record<string, string>>);
}

/** The failure of a request that is not valid; undefined for a valid one. */
export function refuseRequest(input: HttpRequestInput): ToolResult<never> | undefined {
  const { url, method = "GET", body, saveTo } = input;
  const headers = headersOf(input);
  const found =
    ownProblem(url, headers, body) ?? requestProblem(url, { method, headers, ...(body === undefined ? {} : { body }) });
  if (found === undefined) return saveTo === undefined ? undefined : refusePath(saveTo, "send the request or save");
  return fail("CALL_INVALID", `Did not send the request: ${found.problem}.`, { details: { ...found } });
}

/** What is not meant: a port would send it, or refuse it for another reason. */
function ownProblem(url: string, headers: HttpHeaders, body = ""): RequestProblem | undefined {
  if (url.trim() !== "" && /\s/.test(url))
    return { parameter: "url", problem: "`url` contains whitespace; percent-encode it, a space as %20" };
  const [scheme] = /^https?:/i.exec(url) ?? [];
  // Parsers of URLs disagree about the host of these.
  if (scheme !== undefined && url.includes("\\"))
    return { parameter: "url", problem: "`url` contains a backslash; use / or %5C" };
  if (scheme !== undefined && !/^\/\/[^/]/.test(url.slice(scheme.length)))
    return { parameter: "url", problem: `\`url\` must begin with "${scheme.toLowerCase()}//" and a host` };
  const redacted = headers.find(([, value]) => PLACEHOLDER.test(value));
  if (redacted !== undefined)
    return { parameter: "headers", problem: placeholderText(`the header ${quoted(redacted[0])}`) };
  const bytes = utf8Length(body);
  if (bytes > MAX_BODY_BYTES)
    return { parameter: "body", problem: `\`body\` has ${bytes} bytes; at most ${byteSize(MAX_BODY_BYTES)} are sent` };
  return PLACEHOLDER.test(body) ? { parameter: "body", problem: placeholderText("`body`") } : undefined;
}

function placeholderText(where: string): string {
  return `${where} contains a placeholder for a secret that is not shown; name a configured one as \`secret\``;
}
