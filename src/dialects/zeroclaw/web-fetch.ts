import type { ToolPresenter } from "../../kernel/index.js";
import {
  WEBFETCH_LIMITS,
  type WebFetchData,
  type WebFetchInput,
  type WebFetchLimits,
} from "../../tools/webfetch/contract.js";
import { missing, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { callError } from "./call-error.js";
import { failed } from "./envelope.js";
import * as messages from "./messages.js";

const WEB_FETCH_MAX_BYTES = 500_000;
const WEB_FETCH_TIMEOUT_MS = 30_000;

export const webFetchPresenter: ToolPresenter<WebFetchInput, WebFetchData, WebFetchLimits> = {
  name: "web_fetch",
  description: `Fetch a web page with GET and return its text, at most ${WEB_FETCH_MAX_BYTES} bytes of the page; HTML is simplified. Redirects are followed on the same host only.`,
  parameters: {
    type: "object",
    properties: { url: { type: "string", description: "The http or https URL" } },
    required: ["url"],
  },
  limits: {
    ...WEBFETCH_LIMITS,
    defaultBytes: WEB_FETCH_MAX_BYTES,
    maxBytes: WEB_FETCH_MAX_BYTES,
    // The budget of the context bounds the text.
    maxCharacters: WEB_FETCH_MAX_BYTES,
    timeoutMs: WEB_FETCH_TIMEOUT_MS,
    redirect: "same-host",
    types: "page",
  },
  decode(args) {
    const url = textArgument(args, "url");
    return url === undefined ? missing("url", "text") : { input: { url, format: "simplified" } };
  },
  render(result) {
    const { data } = result;
    if (result.isError || data === undefined) return failed(callError(result, messages.fetchFailed, "web_fetch"));
    const notes = [
      ...(data.isBodyComplete ? [] : [messages.bodyCapped(data.bodyBytes)]),
      ...(data.nextOffset === undefined ? [] : [clipped(data)]),
    ];
    return textResult([data.text, ...notes].join("\n"), { truncatedByPresenter: true });
  },
};

function clipped({ text, totalCharacters, artifact }: WebFetchData): string {
  const stored = artifact === undefined ? "" : `; all of it is artifact:${artifact}, for \`file_read\``;
  return `[truncated: the first ${text.length} of ${totalCharacters} characters${stored}]`;
}
