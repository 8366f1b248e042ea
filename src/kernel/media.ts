/** The port for images and documents. A host supplies it, once. */
import type { Io } from "./fs.js";

/** The limits for images. */
export interface ImageBounds {
  /** Pixels. */
  readonly maxWidth: number;
  /** Pixels. */
  readonly maxHeight: number;
  /** Bytes of the fitted image. */
  readonly maxBytes: number;
  /** Pixels of the original image; one with more is not decoded. */
  readonly maxPixels: number;
}

/** An image within the limits; `bytes` are the original ones if it already was. */
export interface FittedImage {
  readonly bytes: Uint8Array;
  /** image/png, image/jpeg, image/gif or image/webp. */
  readonly mime: string;
  /** Pixels, turned as the camera says. */
  readonly width: number;
  /** Pixels, turned as the camera says. */
  readonly height: number;
}

/** The pages of a document that are asked for. */
export interface PdfPages {
  /** From 1. */
  readonly first: number;
  /** Characters of text, a page counting `PDF_PAGE_CHARACTERS` more; the page that goes over it is the last. */
  readonly maxCharacters: number;
}

/** Characters counted for each page in addition to its text, so that the number of empty pages is limited too. */
export const PDF_PAGE_CHARACTERS = 40;

/** The text of pages, from the first requested one. */
export interface PdfText {
  /** How many the document has. */
  readonly pages: number;
  /** One entry a page; undefined for a page that could not be read. */
  readonly texts: readonly (string | undefined)[];
  /** Why it ended before the last page; absent if it did not. fault: the next page is damaged or needs too much memory. */
  readonly stopped?: "time" | "size" | "fault";
}

/**
 * Why a file could not be read as the type that it claims. busy, unstarted: it was not looked at, so a retry may succeed;
 * the workers were busy with other files, or no process or thread could be started.
 */
export type MediaFault = "damaged" | "encrypted" | "large" | "slow" | "memory" | "crashed" | "busy" | "unstarted";

/**
 * Reads images and documents.
 *
 * Implementers: the bytes are untrusted. Reading them must not block this process, crash it, or take unbounded memory;
 * when the promise settles, also after a cancel, all work has stopped.
 *
 * Both reject with `MEDIA_UNREADABLE` (`details.why` is a `MediaFault`, `details.problem` describes it as a clause), with
 * `CONFIG_MISSING_PACKAGE` if the required package is not installed, and with `CALL_CANCELLED`. `Io.timeoutMs` defaults to
 * 20,000.
 */
export interface Media {
  /** PNG, JPEG, GIF or WebP. An animated image becomes its first frame. @throws `MEDIA_UNREADABLE`: "slow" on a timeout. */
  fitImage(bytes: Uint8Array, bounds: ImageBounds, io?: Io): Promise<FittedImage>;
  /** PDF. On a timeout, the pages read so far are returned; "slow" if there are none. */
  pdfText(bytes: Uint8Array, pages: PdfPages, io?: Io): Promise<PdfText>;
}
