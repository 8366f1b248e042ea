import { type FsEntryInfo, HaftError, type ToolContext, type ToolResult } from "../../kernel/index.js";
import {
  decodeText,
  detectEol,
  detectTextForm,
  findEncoding,
  isBinary,
  namedTextForm,
  type TextForm,
} from "../../text/index.js";
import { type FileRequest, refuseKind } from "../shared/file-failure.js";
import { type FilePlace, MAX_HASHED_BYTES, recordReadState } from "../shared/read-state.js";
import { refuseTrailingSlash } from "../shared/trailing-slash.js";
import { READ_LIMITS, type ReadData, type ReadInput, type ReadLimits } from "./contract.js";
import { type FileView, type FoundFile, UTF8_VIEW, unshownData } from "./found-file.js";
import { imageSize } from "./image-size.js";
import { indexFor, LineIndex } from "./line-index.js";
import { fileSource, lineTerminatorsOf, memorySource } from "./line-source.js";
import { type MediaFile, PDF, shownMedia, wholeMedia } from "./media-file.js";
import { mediaTypeOf } from "./media-type.js";
import { notebookView } from "./notebook.js";
import { readLineWindow } from "./read-window.js";
import { IMAGE_BOUNDS, showImage } from "./show-image.js";
import { pdfView } from "./show-pdf.js";

/** Read together with the stat: enough for most files, to detect the type of a large one, and for the first window of that. */
const FIRST_BYTES = READ_LIMITS.maxBytes + READ_LIMITS.maxLineBytes + 2;
/** Tries to read one version of a file that is being written. */
const MAX_TRIES = 3;

/** Reads a window of a file and records that it was seen. Throws what the port throws. */
export async function readFile(
  asked: FileRequest,
  input: ReadInput,
  ctx: ToolContext<ReadLimits>,
): Promise<FoundFile | ToolResult<never>> {
  const { absolute } = asked;
  const inspected = inspect(ctx, absolute);
  // Asked after the reads: where those go together with others, they know the place.
  const real = ctx.fs.resolve([absolute]).catch(() => undefined);
  const seen = await inspected;
  if ("kind" in seen) return refuseKind(seen.kind, asked)!;
  const { info, head } = seen;
  const misspelt = refuseTrailingSlash("file", asked);
  if (misspelt !== undefined) return misspelt;
  const bytes = head.length === info.size ? head : seen.whole;
  const place = { absolute, real: (await real)?.[0]?.real ?? absolute };
  const mime = shownMedia(input, ctx.limits, head);
  if (mime !== undefined) {
    const whole = bytes ?? (await wholeMedia(ctx, absolute, info));
    return readMedia({ asked, info, head, bytes: whole, mime }, place, input, ctx);
  }
  const form = await formOf(input, bytes ?? head, bytes === undefined);
  const view = form === undefined || bytes === undefined ? undefined : viewOf(asked, input, ctx, bytes, form);
  const data =
    form === undefined
      ? unshownData(asked.givenPath, info, mediaTypeOf(head))
      : await textData(asked, input, ctx, { info, head, bytes, form, real: place.real, view });
  await remember(ctx, place, info, bytes);
  if (view !== undefined) return { data, note: view.note };
  return data.kind === "image" && bytes !== undefined ? { data, ...attach(bytes, data.mime!) } : { data };
}

/** Shows an image or document. One that cannot be decoded does not count as read. */
async function readMedia(
  file: MediaFile,
  place: FilePlace,
  input: ReadInput,
  ctx: ToolContext<ReadLimits>,
): Promise<FoundFile | ToolResult<never>> {
  const { asked, info, bytes, mime } = file;
  const key = [ctx.backend.name, place.real, info.version].join(":");
  const shown = await (mime === PDF ? pdfView(file, key, input, ctx) : showImage(file, ctx));
  if ("isError" in shown) return shown;
  await remember(ctx, place, info, bytes);
  if ("data" in shown) return shown;
  const data = await textData(asked, input, ctx, {
    info,
    head: file.head,
    bytes,
    form: shown.form,
    real: place.real,
    view: shown,
  });
  return { data: { ...data, mime }, note: shown.note };
}

async function remember(
  ctx: ToolContext,
  place: FilePlace,
  info: FsEntryInfo,
  bytes: Uint8Array | undefined,
): Promise<void> {
  const isHashed = bytes !== undefined && bytes.length <= MAX_HASHED_BYTES;
  recordReadState(ctx, place, { info, sha256: isHashed ? await ctx.digest(bytes) : undefined });
}

/** Attaches an image unchanged. A model provider may reject a large image and end the session, so a note replaces it. */
function attach(bytes: Uint8Array, mime: string): Pick<FoundFile, "image" | "note"> {
  const { maxBytes, maxWidth, maxHeight } = IMAGE_BOUNDS;
  const [width, height] = imageSize(bytes, mime) ?? [];
  if (width === undefined || height === undefined) return {};
  if (bytes.length > maxBytes)
    return { note: `The image is not shown: it has ${bytes.length} bytes, over the limit of ${maxBytes}.` };
  if (width > maxWidth || height > maxHeight)
    return {
      note: `The image is not shown: it is ${width}×${height} pixels, over the limit of ${maxWidth} a side.`,
    };
  return { image: { data: bytes, mime } };
}

/** The cells of a notebook, shown instead of its JSON. */
function viewOf(
  { givenPath }: FileRequest,
  input: ReadInput,
  ctx: ToolContext<ReadLimits>,
  bytes: Uint8Array,
  form: TextForm,
): FileView | undefined {
  if (ctx.limits.notebooks !== true || input.encoding !== undefined || !/\.ipynb$/i.test(givenPath)) return undefined;
  const view = notebookView(decodeText(bytes.subarray(form.bomBytes), form.encoding).text);
  if (view === undefined || view.cells === 0) return undefined;
  const truncated = view.truncated === 0 ? "" : ` Truncated outputs: ${view.truncated}.`;
  return {
    bytes: new TextEncoder().encode(view.text),
    form: UTF8_VIEW,
    note: `Notebook shown as cells (${view.cells}); line numbers are those of this view.${truncated} The file is JSON; set \`encoding\` to "utf-8" to see it as \`edit\` needs it.`,
  };
}

interface TextFile {
  readonly info: FsEntryInfo;
  readonly head: Uint8Array;
  /** All bytes, if they were read. */
  readonly bytes: Uint8Array | undefined;
  readonly form: TextForm;
  readonly real: string;
  /** What is shown instead. */
  readonly view: FileView | undefined;
}

async function textData(
  asked: FileRequest,
  input: ReadInput,
  ctx: ToolContext<ReadLimits>,
  file: TextFile,
): Promise<ReadData> {
  const { info, real, view } = file;
  const { bytes, form } = view ?? file;
  const ends = lineTerminatorsOf(form);
  const source = bytes === undefined ? fileSource(ctx.fs, asked.absolute, info.size, file.head) : memorySource(bytes);
  const key = [ctx.backend.name, real, info.version, form.encoding].join(":");
  const newIndex = () => new LineIndex(source.size, ends, form.bomBytes);
  const index = bytes === undefined ? indexFor(ctx.session, key, newIndex) : newIndex();
  const request = { offset: input.offset ?? 1, limit: input.limit, limits: ctx.limits };
  const window = await readLineWindow(source, form, index, request);
  return {
    path: asked.givenPath,
    kind: "text",
    encoding: form.encoding,
    ...(form.confident || form.encoding === "utf-8" ? {} : { isGuessed: true as const }),
    hasBom: form.bomBytes > 0,
    eol: bytes === undefined ? detectEol(window.text) : eolOf(bytes, form),
    sizeBytes: info.size,
    ...window,
    ...(view === undefined ? {} : { isView: true }),
  };
}

interface Seen {
  readonly info: FsEntryInfo;
  readonly head: Uint8Array;
  /** All bytes, if small enough to be hashed. */
  readonly whole?: Uint8Array;
}

/** Stat and content of one version of the file; only its kind if it is not a file. */
async function inspect(ctx: ToolContext<ReadLimits>, path: string): Promise<Seen | Pick<FsEntryInfo, "kind">> {
  for (let tries = 1; ; tries++) {
    const [info, head] = await both(ctx.fs.stat(path), ctx.fs.readRange(path, 0, FIRST_BYTES));
    if (head === undefined) return { kind: info.kind };
    const isSmall = head.size <= MAX_HASHED_BYTES && head.size > head.bytes.length;
    const whole = isSmall ? await ctx.fs.readRange(path, 0, head.size) : undefined;
    const isOneVersion = info.version === head.version && (whole === undefined || whole.version === head.version);
    if (!isOneVersion && tries < MAX_TRIES) continue;
    const seen = { info: { ...info, size: head.size }, head: head.bytes };
    return whole === undefined ? seen : { ...seen, whole: whole.bytes };
  }
}

/** Both in parallel, for remote backends. No content where the stat shows no file and the read gives no reason. */
async function both<Read>(stat: Promise<FsEntryInfo>, read: Promise<Read>): Promise<[FsEntryInfo, Read | undefined]> {
  const reading = read.then(
    (value) => ({ value }),
    (why: unknown) => ({ why }),
  );
  let info: FsEntryInfo;
  try {
    info = await stat;
  } finally {
    // Also where the stat fails, nothing of the call is left under way.
    await reading;
  }
  const head = await reading;
  const isFile = info.kind === "file" || info.kind === "link";
  if ("why" in head && (isFile || HaftError.is(head.why, "FS_NOT_A_FILE"))) throw head.why;
  return [info, isFile && "value" in head ? head.value : undefined];
}

/** The text form of the file; undefined if it is binary. An encoding from the caller is used unchecked. */
async function formOf(input: ReadInput, bytes: Uint8Array, isPrefix: boolean): Promise<TextForm | undefined> {
  const named = input.encoding === undefined ? undefined : findEncoding(input.encoding);
  if (named !== undefined) return namedTextForm(named, bytes);
  const form = await detectTextForm(bytes, isPrefix);
  return isBinary(bytes, form) ? undefined : form;
}

function eolOf(bytes: Uint8Array, form: TextForm): ReadData["eol"] {
  if (form.encoding.startsWith("utf-16")) return detectEol(decodeText(bytes, form.encoding).text);
  // Nearly every file has none, and thousands of lines.
  if (!bytes.includes(13)) return bytes.includes(10) ? "lf" : "none";
  let [hasLf, hasCrlf, hasCr] = [false, false, false];
  for (let at = bytes.indexOf(10); at !== -1 && !(hasLf && hasCrlf); at = bytes.indexOf(10, at + 1)) {
    if (bytes[at - 1] === 13) hasCrlf = true;
    else hasLf = true;
  }
  for (let at = bytes.indexOf(13); at !== -1 && !hasCr; at = bytes.indexOf(13, at + 1)) hasCr = bytes[at + 1] !== 10;
  if (Number(hasLf) + Number(hasCrlf) + Number(hasCr) > 1) return "mixed";
  return hasLf ? "lf" : hasCrlf ? "crlf" : hasCr ? "cr" : "none";
}
