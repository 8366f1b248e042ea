import { HTTP_METHODS, isRecord, isSecretHeader, type ToolPresenter } from "../../kernel/index.js";
import { showControls, stripControls } from "../../text/index.js";
import {
  HTTP_REQUEST_LIMITS,
  type HttpRequestData,
  type HttpRequestInput,
  type HttpRequestLimits,
} from "../../tools/http-request/contract.js";
import { missing, omitUndefined, shownValue, textArgument } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { callError } from "./call-error.js";
import { failed } from "./envelope.js";
import * as messages from "./messages.js";

const HTTP_REQUEST_TIMEOUT_MS = 30_000;
const HTTP_REQUEST_MAX_BYTES = 1_000_000;

export const httpRequestPresenter: ToolPresenter<HttpRequestInput, HttpRequestData, HttpRequestLimits> = {
  name: "http_request",
  description: `Send an HTTP request to an allowed domain; returns status, headers and the first ${HTTP_REQUEST_MAX_BYTES} bytes of the body. Redirects are not followed.`,
  parameters: {
    type: "object",
    properties: {
      url: { type: "string", description: "The http or https URL" },
      method: { type: "string", description: HTTP_METHODS.join(", "), default: "GET" },
      headers: { type: "object", description: "Header names and values", additionalProperties: { type: "string" } },
      auth_secret: { type: "string", description: "Name of a configured secret to send as Authorization" },
      body: { type: "string", description: "The body" },
    },
    required: ["url"],
  },
  acceptsEmpty: ["body"],
  limits: {
    ...HTTP_REQUEST_LIMITS,
    maxBytes: HTTP_REQUEST_MAX_BYTES,
    defaultTimeoutMs: HTTP_REQUEST_TIMEOUT_MS,
    maxTimeoutMs: HTTP_REQUEST_TIMEOUT_MS,
    redirect: "manual",
  },
  decode(args) {
    const url = textArgument(args, "url");
    if (url === undefined) return missing("url", "text");
    const method = (textArgument(args, "method") ?? "GET").toUpperCase();
    const known = HTTP_METHODS.find((one) => one === method);
    if (known === undefined)
      return {
        problem: `\`method\` was ${shownValue(args.method)}; use ${HTTP_METHODS.join(", ")}`,
        parameter: "method",
      };
    const headers = isRecord(args.headers) ? (args.headers as Readonly<Record<string, string>>) : undefined;
    const secret = textArgument(args, "auth_secret");
    return { input: omitUndefined({ url, method: known, headers, secret, body: textArgument(args, "body") }) };
  },
  render(result) {
    const { data } = result;
    if (data === undefined) return failed(callError(result, messages.requestFailed, "http_request"));
    const text = responseText(data);
    return result.isError ? failed(messages.httpStatus(data.status), text) : textResult(text, { clamped: true });
  },
};

function responseText(data: HttpRequestData): string {
  const headers = data.headers.map(([name, value]) =>
    showControls(`${name}: ${isSecretHeader(name) ? messages.REDACTED : value}`),
  );
  const note = data.isBodyComplete ? [] : [messages.bodyCapped(data.bodyBytes)];
  return [messages.statusLine(data.status, showControls(data.statusText)), ...headers, "", bodyOf(data), ...note].join(
    "\n",
  );
}

function bodyOf({ text, bodyBytes, contentType }: HttpRequestData): string {
  if (text !== undefined) return stripControls(text).text;
  return `[${showControls(contentType) || "binary body"}, ${counted(bodyBytes, "byte")}, not shown as text]`;
}
