/** The port to files that are no text: images and documents. A host supplies it, once. */
import type { Io } from "./fs.js";

/** What an image has to fit into, and how large one is looked at. */
export interface ImageBounds {
  /** Pixels. */
  readonly maxWidth: number;
  /** Pixels. */
  readonly maxHeight: number;
  /** Bytes of the fitted image. */
  readonly maxBytes: number;
  /** Pixels of the image as it is given; one with more is not decoded. */
  readonly maxPixels: number;
}

/** An image that fits. `bytes` are those that were given where it did so already. */
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

/** What a page counts beside its text, so that a document of countless empty ones has an end too. */
export const PDF_PAGE_CHARACTERS = 40;

/** The text of pages, from the first that was asked for. */
export interface PdfText {
  /** How many the document has. */
  readonly pages: number;
  /** One entry a page; undefined for a page that could not be read. */
  readonly texts: readonly (string | undefined)[];
  /** Why it ended before the last page; absent where it did not. fault: the next page cannot be read, for its memory or its form. */
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
 * Both reject with `MEDIA_UNREADABLE`, with a `MediaFault` as `details.why` and a clause of it as `details.problem`, with `CONFIG_MISSING_PACKAGE` where a package that
 * does the work is not installed, and with `CALL_CANCELLED`. `Io.timeoutMs` defaults to 20,000.
 */
export interface Media {
  /** PNG, JPEG, GIF or WebP. A moving one becomes its first frame. @throws `MEDIA_UNREADABLE`: "slow" when the time is up. */
  fitImage(bytes: Uint8Array, bounds: ImageBounds, io?: Io): Promise<FittedImage>;
  /** PDF. What was read when the time is up is returned; "slow" where not one page was. */
  pdfText(bytes: Uint8Array, pages: PdfPages, io?: Io): Promise<PdfText>;
}
