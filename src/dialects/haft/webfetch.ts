import type { RenderContext, ToolPresenter } from "../../kernel/index.js";
import { shownEcho } from "../../kernel/index.js";
import { byteSize, showControls } from "../../text/index.js";
import {
  WEBFETCH_LIMITS,
  type WebFetchData,
  type WebFetchInput,
  type WebFetchLimits,
} from "../../tools/webfetch/contract.js";
import { asInput } from "../arguments.js";
import { failureOf } from "../failure.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { WEB_LABEL } from "./web-label.js";

export const haftWebfetchPresenter: ToolPresenter<WebFetchInput, WebFetchData, WebFetchLimits> = {
  name: "webfetch",
  aliases: { uri: "url", href: "url", link: "url", max_bytes: "maxBytes", start: "offset", start_index: "offset" },
  bareString: "url",
  decode: asInput,
  render(result, asked) {
    const { data } = result;
    if (data === undefined) return renderHaftFailure(result, asked);
    const about = { ...asked, notes: [...asked.notes, ...data.notes, ...restOfBody(data)] };
    const status = result.isError ? [showControls(failureOf(result).message)] : [];
    if (result.isError && data.bodyBytes === 0) return textResult(withNotes(status.join(), about));
    const head = [
      ...status,
      ...headerOf(data, asked, result.isError),
      ...positionOf(data),
      ...(data.text === "" ? [] : [WEB_LABEL]),
    ];
    const text = data.text === "" ? head.join("\n") : `${head.join("\n")}\n\n${data.text}`;
    const shown = textResult(withNotes(text, about));
    return { ...shown, content: [...shown.content, ...result.content.filter(({ kind }) => kind === "image")] };
  },
};

/** Title, URL if it was redirected, type if it is not HTML, age if it is from the cache. The line of an error has the URL already. */
function headerOf(data: WebFetchData, { arguments: { url } }: RenderContext, isError: boolean): readonly string[] {
  const { title, redirects, kind, contentType, picture, cached, ageSeconds = 0 } = data;
  const size = picture === undefined ? [] : [`${picture.width}×${picture.height} pixels`];
  const isSized = kind === "image" || kind === "binary" || kind === "pdf";
  const isUrlShown = !isError && (title === undefined || redirects.length > 0);
  const shownUrl = showControls(shownEcho(redirects.length > 0 || typeof url !== "string" ? data.url : url));
  const facts = [
    ...(title === undefined ? [] : [JSON.stringify(showControls(shownEcho(title)))]),
    ...(isUrlShown ? [shownUrl] : []),
    ...(redirects.length > 0 ? ["redirected"] : []),
    ...(kind === "html" ? [] : [contentType === "" ? kind : showControls(contentType)]),
    ...size,
    ...(isSized ? [counted(data.bodyBytes, "byte")] : []),
    ...(cached === undefined
      ? []
      : [cached === "fresh" ? `cached, ${counted(ageSeconds, "second")} old` : "not modified"]),
  ];
  if (facts.length === 0) return [];
  // A dot would look like a part of the URL.
  return [facts.join(", ") + (facts.at(-1) === shownUrl ? "" : ".")];
}

function positionOf({ text, offset, nextOffset, totalCharacters, artifact, kind }: WebFetchData): readonly string[] {
  if (kind === "binary") return ["Not shown as text."];
  if (text === "" && totalCharacters > 0)
    return [
      `It has ${counted(totalCharacters, "character")}; there are none at that offset. Use a smaller \`offset\`.`,
    ];
  if (text.length === totalCharacters) return [];
  const stored =
    artifact === undefined ? "" : `; all of it is artifact:${showControls(artifact)}, for \`read\` and \`grep\``;
  const next = nextOffset === undefined ? "" : `; continue with \`offset\` ${nextOffset}`;
  return [`Showing characters ${offset}–${offset + text.length} of ${totalCharacters}${next}${stored}.`];
}

function restOfBody({ isBodyComplete, bodyBytes, kind }: WebFetchData): readonly string[] {
  if (isBodyComplete || kind === "binary") return [];
  const { maxBytes } = WEBFETCH_LIMITS;
  const next = bodyBytes < maxBytes ? ` Set \`maxBytes\` to read more, at most ${maxBytes}.` : "";
  return [`The page is longer than the ${byteSize(bodyBytes)} that were read.${next}`];
}
