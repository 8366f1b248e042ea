/** Width and height of an image in pixels. */
export type ImageSize = readonly [width: number, height: number];

/**
 * The size of an image, from its header; undefined for an unknown kind or a header that is
 * broken.
 */
export function imageSize(bytes: Uint8Array, mime: string): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return SIZES[mime]?.(view);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

const LITTLE = true;

const SIZES: Readonly<Record<string, (view: DataView) => ImageSize | undefined>> = {
  "image/png": (view) => [view.getUint32(16), view.getUint32(20)],
  "image/gif": (view) => [view.getUint16(6, LITTLE), view.getUint16(8, LITTLE)],
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** The size is in the frame header, after other segments. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
}

function webpSize(view: DataView): ImageSize | undefined {
  const form = view.getUint32(12);
  // "VP8X": one less than each, in three bytes.
  if (form === 0x56503858) return [1 + threeBytes(view, 24), 1 + threeBytes(view, 27)];
  if (form === 0x5650384c) {
    // "VP8L": one less than each, in fourteen bits.
    const packed = view.getUint32(21, LITTLE);
    return [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)];
  }
  if (form === 0x56503820) return [view.getUint16(26, LITTLE) & 0x3fff, view.getUint16(28, LITTLE) & 0x3fff];
  return undefined;
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, LITTLE) | (view.getUint8(at + 2) << 16);
}
