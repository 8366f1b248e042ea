import { HaftError, type ImageBounds, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { isAnimated } from "./animated-image.js";
import type { ReadPicture } from "./contract.js";
import { type FoundFile, unshownData } from "./found-file.js";
import { type ImageSize, imageSize } from "./image-size.js";
import { MAX_MEDIA_BYTES, type MediaBytes, mediaIo, missingPackage, unreadable } from "./media-file.js";

/**
 * Limits of an image: the side length that every common provider accepts, and 5 MiB as base64. More pixels than `maxPixels` are
 * not decoded: that would take 400 MB.
 */
export const IMAGE_BOUNDS: ImageBounds = Object.freeze({
  maxWidth: 2_000,
  maxHeight: 2_000,
  maxBytes: 3_932_160,
  maxPixels: 100_000_000,
});

const SMALLER = "Create a smaller copy with a command and read that.";

/**
 * Shows an image, resized where it does not fit. An image that a provider rejects can end a conversation, so each is decoded
 * first; where no decoder is available, one that fits by its header is passed through unchanged.
 */
export async function showImage(file: MediaBytes, ctx: ToolContext): Promise<FoundFile | ToolResult<never>> {
  const { asked, info, bytes, head, mime } = file;
  const data = unshownData(asked.givenPath, info, mime);
  const size = imageSize(bytes ?? head, mime);
  const picture = size === undefined || size.includes(0) ? undefined : pictureOf(size, isAnimated(bytes ?? head, mime));
  const reported = picture === undefined ? data : { ...data, picture };
  if (bytes === undefined)
    return {
      data: reported,
      note: notShown(`it has ${info.size} bytes, over the limit of ${MAX_MEDIA_BYTES}`),
    };
  if (picture === undefined) return unreadable(damaged(), file, ANEW);
  const pixels = picture.width * picture.height;
  if (pixels > IMAGE_BOUNDS.maxPixels)
    return {
      data: reported,
      note: notShown(`it has ${sides(picture)} = ${pixels} pixels, over the limit of ${IMAGE_BOUNDS.maxPixels}`),
    };
  try {
    if (ctx.media === undefined) return { data: reported, ...unchangedImage(file, bytes, picture, undefined) };
    const fitted = await ctx.media.fitImage(bytes, IMAGE_BOUNDS, mediaIo(ctx));
    const isSame = fitted.bytes === bytes && fitted.mime === mime;
    const shown = { mime: fitted.mime, width: fitted.width, height: fitted.height, sizeBytes: fitted.bytes.length };
    return {
      data: isSame ? reported : { ...reported, picture: { ...picture, shown } },
      image: { data: fitted.bytes, mime: fitted.mime },
    };
  } catch (thrown) {
    const missing = missingPackage(thrown);
    if (missing !== undefined) return { data: reported, ...unchangedImage(file, bytes, picture, missing) };
    return unreadable(thrown, file, HaftError.is(thrown) && thrown.details.why === "damaged" ? ANEW : SMALLER);
  }
}

const ANEW = "Get the file again, or inspect its bytes with a command.";

function damaged(): HaftError {
  const problem = "its header is damaged or truncated";
  return new HaftError("MEDIA_UNREADABLE", problem, { details: { why: "damaged", problem } });
}

function pictureOf([width, height]: ImageSize, isAnimated: boolean): ReadPicture {
  return { width, height, isAnimated };
}

const sides = ({ width, height }: Pick<ReadPicture, "width" | "height">) => `${width}×${height}`;

function notShown(why: string, next = SMALLER): string {
  return `The image is not shown: ${why}. ${next}`;
}

/** Without an image decoder. */
function unchangedImage(
  { mime }: MediaBytes,
  bytes: Uint8Array,
  picture: ReadPicture,
  missing: string | undefined,
): Pick<FoundFile, "image" | "note"> {
  const problem = oversizeReason(bytes, picture);
  if (problem === undefined)
    return {
      image: { data: bytes, mime },
      note: picture.isAnimated ? "An animated image, passed through unchanged." : undefined,
    };
  const lacking =
    missing === undefined
      ? "this host cannot resize images"
      : `the package ${missing}, which resizes images, is not installed`;
  const next =
    missing === undefined
      ? SMALLER
      : `Install it beside Haft (\`npm install ${missing}\`), or create a smaller copy with a command and read that.`;
  return { note: notShown(`${problem}, and ${lacking}`, next) };
}

function oversizeReason(bytes: Uint8Array, picture: ReadPicture): string | undefined {
  const { maxWidth, maxHeight, maxBytes } = IMAGE_BOUNDS;
  if (picture.width > maxWidth || picture.height > maxHeight)
    return `it has ${sides(picture)} pixels, over the limit of ${maxWidth}×${maxHeight}`;
  return bytes.length > maxBytes ? `it has ${bytes.length} bytes, over the limit of ${maxBytes}` : undefined;
}
