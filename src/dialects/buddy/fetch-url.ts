import type { Rendered, ToolPresenter, Truncation } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import {
  WEBFETCH_LIMITS,
  type WebFetchData,
  type WebFetchInput,
  type WebFetchLimits,
} from "../../tools/webfetch/contract.js";
import { missing, textArgument } from "../arguments.js";
import { failureOf, textDetail } from "../failure.js";
import { counted, newTruncations, textResult } from "../rendering.js";
import { renderBuddyFailure } from "./failure-text.js";
import { headCharacters } from "./head-characters.js";

const FETCH_URL_MAX_CHARACTERS = 8_000;
/** More than 8,000 characters of four bytes, so that a body that fits the characters is never cut by its bytes. */
const FETCH_URL_MAX_BYTES = 4 * FETCH_URL_MAX_CHARACTERS + 1_024;
const FETCH_URL_TIMEOUT_MS = 20_000;

export const fetchUrlPresenter: ToolPresenter<WebFetchInput, WebFetchData, WebFetchLimits> = {
  name: "fetch_url",
  description: `Fetch a URL with GET and return the body as text, truncated to ${FETCH_URL_MAX_CHARACTERS} characters.`,
  parameters: {
    type: "object",
    properties: { url: { type: "string", description: "The http or https URL" } },
    required: ["url"],
  },
  limits: {
    ...WEBFETCH_LIMITS,
    defaultBytes: FETCH_URL_MAX_BYTES,
    // A character counts as up to two there.
    maxCharacters: 2 * FETCH_URL_MAX_CHARACTERS + 2,
    timeoutMs: FETCH_URL_TIMEOUT_MS,
  },
  decode(args) {
    const url = textArgument(args, "url");
    return url === undefined ? missing("url", "text") : { input: { url, format: "html" } };
  },
  render(result) {
    const { data } = result;
    // The status is not reported: the body of an error is a body.
    if (data !== undefined) return { ...bodyOf(data), ...(result.isError ? { isError: false } : {}) };
    const isEmpty = result.code === "WEB_UNREADABLE" && textDetail(failureOf(result), "why") === "empty";
    return isEmpty ? textResult("", { isError: false }) : renderBuddyFailure(result, ({ message }) => message);

    function bodyOf(page: WebFetchData): Rendered {
      const isPartial = page.nextOffset !== undefined || !page.isBodyComplete;
      const head = headCharacters(textOf(page), FETCH_URL_MAX_CHARACTERS, isPartial);
      const truncations = head.text === head.kept ? [] : [restOf(page, head.kept)];
      const more = { clamped: true, truncatedByPresenter: true, ...newTruncations(result, truncations) };
      return textResult(head.text, more);
    }
  },
};

function textOf({ kind, contentType, text, bodyBytes }: WebFetchData): string {
  const isText = kind !== "binary" && kind !== "image" && (kind !== "pdf" || text !== "");
  return isText ? text : `[${contentType || `${kind} body`}, ${counted(bodyBytes, "byte")}, not shown as text]`;
}

function restOf({ url, bodyBytes, text, artifact }: WebFetchData, kept: string): Truncation {
  return {
    what: `characters of ${url} after the first ${FETCH_URL_MAX_CHARACTERS}`,
    producedBytes: Math.max(bodyBytes, utf8Length(text)),
    keptBytes: utf8Length(kept),
    ...(artifact === undefined ? {} : { artifact }),
  };
}
