import {
  type Claim,
  type ClaimContext,
  defineTool,
  fail,
  HaftError,
  type HttpHeaders,
  type HttpResponse,
  isSecretHeader,
  ok,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { byteSize, parseContentType, showControls } from "../../text/index.js";
import { fileFailure } from "../shared/file-failure.js";
import { bodyTruncation, declaredBytes, headerOf } from "../shared/response-body.js";
import {
  HTTP_REQUEST_LIMITS,
  type HttpRequestData,
  type HttpRequestInput,
  type HttpRequestLimits,
  httpRequestSchema,
} from "./contract.js";
import { headersOf, refuseRequest, urlOf } from "./request-input.js";
import { refuseSave, saveBody, saveClaims } from "./save-body.js";

/** Before the call itself is ended: the timeout of the request is reported. */
const GRACE_MS = 5_000;

/** Stands for the value of a header that would let a reader act as the receiver of the response. */
const HIDDEN = "(hidden)";

/**
 * Sends one HTTP request, follows redirects, and returns status, headers and body; or saves the body as a new file. A status of 400
 * or more is a failure, `WEB_STATUS`, whose `data` has the response.
 */
export const httpRequestTool = defineTool({
  name: "http_request",
  description: `Send an HTTP request; returns status, headers and the first ${byteSize(HTTP_REQUEST_LIMITS.maxBytes)} of the body, or saves the body (at most ${byteSize(HTTP_REQUEST_LIMITS.maxSavedBytes)}) with \`saveTo\`. To read a web page, use \`webfetch\`.`,
  input: httpRequestSchema,
  effect: "write",
  limits: HTTP_REQUEST_LIMITS as HttpRequestLimits,
  deadlineMs: ({ timeoutMs }, { defaultTimeoutMs }) => (timeoutMs ?? defaultTimeoutMs) + GRACE_MS,
  annotations: { title: "HTTP request", destructive: true, openWorld: true },
  claims: (input: HttpRequestInput, context) => refuseRequest(input) ?? claimsOf(input, context),
  run: runRequest,
});

function claimsOf(input: HttpRequestInput, context: ClaimContext<HttpRequestLimits>): readonly Claim[] {
  const { method = "GET", body, secret, saveTo } = input;
  const headers = headersOf(input);
  const url = urlOf(input);
  const content = { ...(headers.length === 0 ? {} : { headers }), ...(body === undefined ? {} : { body }) };
  return [
    { kind: "network", method, url, ...content },
    ...(secret === undefined ? [] : [{ kind: "secret", name: secret, hosts: [new URL(url).hostname] } as const]),
    ...(saveTo === undefined ? [] : saveClaims(saveTo, context)),
  ];
}

type Context = ToolContext<HttpRequestLimits>;
type Result = ToolResult<HttpRequestData>;

async function runRequest(input: HttpRequestInput, ctx: Context): Promise<Result> {
  const { saveTo } = input;
  try {
    return await (saveTo === undefined ? show(input, await send(input, ctx), ctx) : download(input, saveTo, ctx));
  } catch (thrown) {
    if (HaftError.is(thrown, "WEB_TIMEOUT")) return timedOut(input, thrown, ctx);
    if (saveTo === undefined) throw thrown;
    return fileFailure(thrown, { verb: "save", givenPath: saveTo, absolute: ctx.resolve(saveTo) });
  }
}

/** The lock reserves the name as long as the download takes. */
function download(input: HttpRequestInput, saveTo: string, ctx: Context): Promise<Result> {
  return ctx.lock(ctx.resolve(saveTo), {}, async ([place]) => {
    const missing = place?.missing ?? "";
    const refused = await refuseSave(saveTo, missing, ctx);
    return refused ?? save(input, { saveTo, missing }, await send(input, ctx), ctx);
  });
}

function timedOut(input: HttpRequestInput, { details }: HaftError, { limits }: Context): Result {
  const { url, timeoutMs = limits.defaultTimeoutMs } = input;
  const larger = timeoutMs < limits.maxTimeoutMs ? ", or set a larger `timeoutMs`" : "";
  const isSafe = ["GET", "HEAD"].includes(input.method ?? "GET");
  const warning = isSafe ? "" : " The server may have processed the request: check before you send it again.";
  const message = `Did not fetch "${showControls(url)}": it was not complete within ${timeoutMs} ms. Try again later${larger}.${warning}`;
  return fail("WEB_TIMEOUT", message, { details });
}

async function send(input: HttpRequestInput, ctx: Context): Promise<HttpResponse> {
  const { method = "GET", body, secret, timeoutMs = ctx.limits.defaultTimeoutMs } = input;
  return ctx.http.fetch(urlOf(input), {
    method,
    headers: sentHeaders(input),
    redirect: ctx.limits.redirect,
    timeoutMs,
    ...(body === undefined ? {} : { body }),
    ...(secret === undefined ? {} : { secret }),
  });
}

/** A body without a content type is sent as JSON if it is JSON, else as plain text. */
function sentHeaders(input: HttpRequestInput): HttpHeaders {
  const given = headersOf(input);
  const { body } = input;
  if (body === undefined || given.some(([name]) => name.toLowerCase() === "content-type")) return given;
  return [...given, ["content-type", isJson(body) ? "application/json" : "text/plain; charset=utf-8"]];
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

async function show(input: HttpRequestInput, response: HttpResponse, ctx: Context): Promise<Result> {
  const { bytes, isComplete } = await response.read(ctx.limits.maxBytes);
  const { url, headers } = response;
  const text = bytes.length === 0 ? "" : await textOf(bytes, headerOf(headers, "content-type") ?? "");
  const data: HttpRequestData = {
    ...factsOf(input, response),
    ...(text === undefined ? {} : { text }),
    bodyBytes: bytes.length,
    isBodyComplete: isComplete,
  };
  const result = resultOf(input, data);
  return isComplete ? result : { ...result, truncations: [bodyTruncation(url, bytes.length, declaredBytes(headers))] };
}

/** Undefined for what is not text. */
async function textOf(bytes: Uint8Array, contentType: string): Promise<string | undefined> {
  const { decodePage, pageKind } = await import("../../engines/html/index.js");
  const kind = pageKind(contentType, bytes);
  if (kind === "binary" || kind === "image" || kind === "pdf") return undefined;
  return (await decodePage(bytes, contentType)).text;
}

async function save(
  input: HttpRequestInput,
  { saveTo, missing }: { readonly saveTo: string; readonly missing: string },
  response: HttpResponse,
  ctx: Context,
): Promise<Result> {
  // The body of any other status is not what was asked for.
  if (response.status < 200 || response.status > 299) return show(input, response, ctx);
  const saved = await saveBody(response, saveTo, missing, ctx.limits.maxSavedBytes, ctx);
  if (typeof saved !== "number") return saved;
  const facts = factsOf(input, response);
  return resultOf(input, { ...facts, bodyBytes: saved, isBodyComplete: true, savedTo: ctx.resolve(saveTo) });
}

function factsOf({ method = "GET" }: HttpRequestInput, response: HttpResponse) {
  const { url, redirects, status, statusText } = response;
  return {
    url,
    redirects,
    method,
    status,
    statusText,
    headers: response.headers.map(([name, value]) => [name, isSecretHeader(name) ? HIDDEN : value] as const),
    contentType: parseContentType(headerOf(response.headers, "content-type") ?? "").mediaType,
  };
}

/** @param data - Not saved although it was asked for, if it has no `savedTo`. */
function resultOf({ saveTo }: HttpRequestInput, data: HttpRequestData): Result {
  const { url, method, status, contentType, bodyBytes, isBodyComplete, savedTo } = data;
  const structured = { url, method, status, contentType, bodyBytes, isBodyComplete, savedTo: savedTo ?? null };
  const more = { structured, provenance: { from: "web", ref: url }, urls: [url] } as const;
  const notSaved = saveTo !== undefined && savedTo === undefined;
  if (status < 400 && !notSaved) return ok(data, more);
  const answer = `The server answered ${method} ${showControls(url)} with status ${status}`;
  const message = `${answer}${notSaved ? "; nothing was saved" : ""}.`;
  return fail("WEB_STATUS", message, { ...more, data, details: { url, status } });
}
