/** Whether the bytes of another server are an image: a provider refuses a whole conversation for one that is not. */

/** The media type by the first bytes, whatever the server calls it, or why they are not passed on as an image. */
export function checkImage(bytes: Buffer): { readonly mime: string } | { readonly problem: string } {
  const mime = mimeOf(bytes);
  if (mime === undefined) return { problem: "not a PNG, JPEG, GIF or WebP image" };
  return isComplete(bytes, mime) ? { mime } : { problem: "the image is truncated" };
}

function mimeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

/** Looks for the end that each format has; padding after it is common and harmless. */
function isComplete(bytes: Buffer, mime: string): boolean {
  if (mime === "image/webp") return bytes.length > 20 && bytes.length >= 8 + bytes.readUInt32LE(4);
  if (mime === "image/gif") return isCompleteGif(bytes);
  if (mime === "image/jpeg") return isCompleteJpeg(bytes);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const next = at + 12 + bytes.readUInt32BE(at);
    if (next > bytes.length) return false;
    if (bytes.toString("latin1", at + 4, at + 8) === "IEND") return true;
    at = next;
  }
  return false;
}

function isCompleteJpeg(bytes: Buffer): boolean {
  let end = bytes.length;
  while (bytes[end - 1] === 0) end--;
  return end > 4 && bytes[end - 2] === 0xff && bytes[end - 1] === 0xd9;
}

/** Goes from block to block to the trailer: its byte alone may stand anywhere. */
function isCompleteGif(bytes: Buffer): boolean {
  let at = 13 + colorTableBytes(bytes[10]);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return true;
    if (kind === 0x21) at += 2;
    else if (kind === 0x2c) at += 11 + colorTableBytes(bytes[at + 9]);
    else return false;
    for (let size = bytes[at]; size !== 0; size = bytes[at]) {
      if (size === undefined) return false;
      at += 1 + size;
    }
    at++;
  }
  return false;
}

/** Of the color table that the packed field announces. */
function colorTableBytes(packed = 0): number {
  return (packed & 0x80) === 0 ? 0 : 3 << ((packed & 7) + 1);
}
