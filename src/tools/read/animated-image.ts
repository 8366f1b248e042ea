/** Whether a GIF or WebP has more than one frame, by its structure; false for what is broken, and for other kinds. */
export function isAnimated(bytes: Uint8Array, mime: string): boolean {
  if (mime === "image/gif") return hasTwoFrames(bytes);
  return mime === "image/webp" && hasForm(bytes, "VP8X") && (bytes[WEBP_FLAGS]! & WEBP_ANIMATION) !== 0;
}

const WEBP_FLAGS = 20;
const WEBP_ANIMATION = 0x02;

function hasForm(bytes: Uint8Array, form: string): boolean {
  return Array.from(form).every((char, index) => bytes[12 + index] === char.charCodeAt(0));
}

const GIF_HEADER = 13;
const FRAME = 0x2c;
const EXTENSION = 0x21;

function hasTwoFrames(bytes: Uint8Array): boolean {
  let frames = 0;
  for (let at = GIF_HEADER + tableBytes(bytes[10]); at < bytes.length; ) {
    if (bytes[at] === FRAME) {
      if (++frames === 2) return true;
      at = afterBlocks(bytes, at + 11 + tableBytes(bytes[at + 9]));
    } else if (bytes[at] === EXTENSION) at = afterBlocks(bytes, at + 2);
    else return false;
  }
  return false;
}

/** Of the colours that a byte of flags announces. */
function tableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Blocks of up to 255 bytes, each after its length, up to one of length 0. */
function afterBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
  return at + 1;
}
