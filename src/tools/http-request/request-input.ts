/** Checks of a request before anything is claimed or sent. */
import { fail, type HttpHeaders, type ToolResult } from "../../kernel/index.js";
import { byteSize, hasLoneSurrogate, REDACTION_MARK, showControls, utf8Length } from "../../text/index.js";
import { quoted, refusePath } from "../shared/path-input.js";
import { HTTP_METHODS, type HttpMethod, type HttpRequestInput, type HttpRequestLimits } from "./contract.js";

export const MAX_BODY_BYTES = 1_048_576;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NOT_A_VALUE = /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/;
/** They describe the connection or the length of the body. `Host` could name another server than the URL. */
const SET_BY_HAFT =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;

const PLACEHOLDER = new RegExp(REDACTION_MARK);

/** The method of a request, in capitals. */
export function methodOf({ method = "GET" }: Pick<HttpRequestInput, "method">): HttpMethod | undefined {
  return HTTP_METHODS.find((known) => known === method.toUpperCase());
}

/** The headers of a request; the schema allows only texts. */
export function headersOf({ headers = {} }: Pick<HttpRequestInput, "headers">): HttpHeaders {
  return Object.entries(headers as Readonly<Record<string, string>>);
}

/** The failure of a request that is not valid; undefined for a valid one. */
export function refuseRequest(input: HttpRequestInput, limits: HttpRequestLimits): ToolResult<never> | undefined {
  const problem =
    urlProblem(input.url) ??
    methodProblem(input) ??
    headersProblem(headersOf(input)) ??
    bodyProblem(input) ??
    timeoutProblem(input, limits);
  if (problem === undefined)
    return input.saveTo === undefined ? undefined : refusePath(input.saveTo, "send the request or save");
  const [parameter, text] = problem;
  return fail("CALL_INVALID", `Did not send the request: ${text}.`, { details: { parameter, problem: text } });
}

type Problem = readonly [parameter: string, text: string];

function urlProblem(text: string): Problem | undefined {
  if (text.trim() === "") return ["url", "`url` is empty; send a whole URL, such as https://example.com/"];
  if (/\s/.test(text)) return ["url", "`url` contains whitespace; percent-encode it, a space as %20"];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return ["url", `${quoted(text)} is not a URL; send a whole one, such as https://example.com/`];
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return ["url", `the scheme "${showControls(url.protocol)}" is not supported; use http or https`];
  if (url.username === "" && url.password === "") return undefined;
  return ["url", "`url` contains credentials; send it without them, and use `secret` or a header"];
}

function methodProblem(input: HttpRequestInput): Problem | undefined {
  if (methodOf(input) !== undefined) return undefined;
  return ["method", `the method ${quoted(input.method ?? "")} is not supported; use ${HTTP_METHODS.join(", ")}`];
}

function headersProblem(headers: HttpHeaders): Problem | undefined {
  for (const [name, value] of headers) {
    if (!TOKEN.test(name)) return ["headers", `${quoted(name)} is not a header name`];
    if (SET_BY_HAFT.test(name)) return ["headers", `the header ${quoted(name)} is set by Haft; leave it out`];
    if (PLACEHOLDER.test(value)) return ["headers", placeholderText(`the header ${quoted(name)}`)];
    if (NOT_A_VALUE.test(value) || hasLoneSurrogate(value))
      return ["headers", `the header ${quoted(name)} has a line break, a control character or one outside Latin-1`];
  }
  return undefined;
}

function bodyProblem(input: HttpRequestInput): Problem | undefined {
  const { body } = input;
  if (body === undefined) return undefined;
  const method = methodOf(input);
  if (method === "GET" || method === "HEAD")
    return ["body", `${method} takes no \`body\`; use another method, or put the data into the URL`];
  const bytes = utf8Length(body);
  if (bytes > MAX_BODY_BYTES)
    return ["body", `\`body\` has ${bytes} bytes; at most ${byteSize(MAX_BODY_BYTES)} are sent`];
  if (hasLoneSurrogate(body)) return ["body", "`body` contains a lone surrogate (half a character)"];
  return PLACEHOLDER.test(body) ? ["body", placeholderText("`body`")] : undefined;
}

function placeholderText(where: string): string {
  return `${where} contains a placeholder for a secret that is not shown; name a configured one as \`secret\``;
}

function timeoutProblem({ timeoutMs }: HttpRequestInput, { maxTimeoutMs }: HttpRequestLimits): Problem | undefined {
  if (timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs))
    return undefined;
  return ["timeoutMs", `\`timeoutMs\` was ${timeoutMs}; use an integer from 1 to ${maxTimeoutMs}`];
}
