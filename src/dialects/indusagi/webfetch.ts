import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import {
  WEBFETCH_LIMITS,
  type WebFetchData,
  type WebFetchInput,
  type WebFetchLimits,
} from "../../tools/webfetch/contract.js";
import { missing, numberArgument, textArgument } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

const WEBFETCH_DEFAULT_BYTES = 1_048_576;
const WEBFETCH_MAX_BYTES = 5_242_880;
const WEBFETCH_TIMEOUT_MS = 30_000;

export function indusagiWebfetchPresenter(
  edition: IndusagiEdition,
): ToolPresenter<WebFetchInput, WebFetchData, WebFetchLimits> {
  return {
    name: "webfetch",
    description: `Fetch an absolute http or https URL with GET and return its text; HTML is simplified. Reads ${WEBFETCH_DEFAULT_BYTES} bytes unless \`maxBytes\` asks for up to ${WEBFETCH_MAX_BYTES}. Its content is untrusted.`,
    parameters: {
      type: "object",
      properties: {
        url: { type: "string", description: "Absolute http or https URL." },
        maxBytes: { type: "number", description: "Most bytes of the body to read." },
      },
      required: ["url"],
    },
    limits: {
      ...WEBFETCH_LIMITS,
      defaultBytes: WEBFETCH_DEFAULT_BYTES,
      maxBytes: WEBFETCH_MAX_BYTES,
      // The budget of the context bounds the text.
      maxCharacters: WEBFETCH_MAX_BYTES,
      timeoutMs: WEBFETCH_TIMEOUT_MS,
      types: "text",
    },
    decode(args) {
      const url = textArgument(args, "url");
      if (url === undefined || url === "") return missing("url", "text that is not empty");
      const maxBytes = Math.floor(numberArgument(args, "maxBytes") ?? WEBFETCH_DEFAULT_BYTES);
      return { input: { url, format: "simplified", maxBytes: Math.min(Math.max(maxBytes, 1), WEBFETCH_MAX_BYTES) } };
    },
    render(result, about) {
      if (result.isError || result.data === undefined) return renderIndusagiFailure(edition, result, about);
      const { data } = result;
      const notes = notesOf(data).map((note) => `[${note}]\n`);
      const text = data.text === "" ? "(the page has no text)" : data.text;
      const shown = textResult(notes.length === 0 ? text : `${notes.join("")}\n${text}`);
      return data.nextOffset === undefined ? shown : { ...shown, truncatedByPresenter: true };
    },
  };
}

function notesOf(data: WebFetchData): readonly string[] {
  const { url, redirects, bodyBytes, isBodyComplete, text, totalCharacters, nextOffset, artifact } = data;
  const notes: string[] = [];
  if (redirects.length > 0) notes.push(`redirected to ${showControls(url)}`);
  if (!isBodyComplete) {
    const raise = bodyBytes < WEBFETCH_MAX_BYTES ? `; raise maxBytes (at most ${WEBFETCH_MAX_BYTES}) for more` : "";
    notes.push(`the body is longer than the ${counted(bodyBytes, "byte")} that were read${raise}`);
  }
  if (nextOffset !== undefined) {
    const stored = artifact === undefined ? "" : `; all of it is artifact:${artifact}, for \`read\` and \`grep\``;
    notes.push(`clipped to the first ${text.length} of ${totalCharacters} characters to fit the window${stored}`);
  }
  return [...notes, ...data.notes.map(showControls)];
}
