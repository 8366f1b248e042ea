import type { RenderContext, ToolPresenter, ToolResult } from "../../kernel/index.js";
import { byteSize, showControls, stripInvisible } from "../../text/index.js";
import type { HttpRequestData, HttpRequestInput, HttpRequestLimits } from "../../tools/http-request/contract.js";
import { asInput } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";
import { WEB_LABEL } from "./web-label.js";

export const haftHttpRequestPresenter: ToolPresenter<HttpRequestInput, HttpRequestData, HttpRequestLimits> = {
  name: "http_request",
  aliases: { uri: "url", data: "body", payload: "body", output: "saveTo", save_to: "saveTo", timeout: "timeoutMs" },
  paths: ["saveTo"],
  acceptsEmpty: ["body"],
  decode: asInput,
  render(result, about) {
    // A response with a status of 400 or more is a failure that still has its data.
    if (result.data === undefined) return renderHaftFailure(result, about);
    const { data } = result;
    const label = data.headers.length > 0 || data.text ? [WEB_LABEL] : [];
    const head = [statusLine(data), ...label, ...data.headers.map(headerLine)];
    const text = [...head, "", ...bodyOf(data, result, about)].join("\n");
    return textResult(withNotes(text, withToolNotes(about, result)));
  },
};

const MAX_VALUE = 200;

function statusLine({ status, statusText, url, redirects }: HttpRequestData): string {
  const line = `${status} ${showControls(statusText)}`.trimEnd();
  return redirects.length === 0 ? line : `${line} (redirected to ${showControls(url)})`;
}

function headerLine([name, value]: HttpRequestData["headers"][number]): string {
  const shown = value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}… [${value.length} characters]`;
  return showControls(`${name}: ${shown}`);
}

function bodyOf(data: HttpRequestData, result: ToolResult<HttpRequestData>, about: RenderContext): readonly string[] {
  const { savedTo, text, bodyBytes, isBodyComplete, contentType, status } = data;
  if (savedTo !== undefined) {
    const path = givenPathOf(about, savedTo, "saveTo");
    return [`Saved ${counted(bodyBytes, "byte")} to ${quotedPath(path)}.`];
  }
  const notSaved = result.isError && status < 400 ? ["(nothing was saved: the status is not 2xx)"] : [];
  if (bodyBytes === 0) return ["(empty body)", ...notSaved];
  const size = isBodyComplete ? counted(bodyBytes, "byte") : `more than ${byteSize(bodyBytes)}`;
  if (text === undefined)
    return [`Binary body: ${showControls(contentType || "no type")}, ${size}. Save it with \`saveTo\`.`, ...notSaved];
  const clean = stripInvisible(text);
  const removed = clean.removed === 0 ? [] : [`[${counted(clean.removed, "control or invisible character")} removed]`];
  const rest = isBodyComplete ? [] : [`[truncated: the body has ${size}; save it with \`saveTo\`]`];
  return [clean.text, ...removed, ...rest, ...notSaved];
}
