interface Signature {
  readonly mime: string;
  readonly at?: number;
  /** Bytes, -1 for any. */
  readonly bytes: readonly number[];
}

const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));

/** The most common types. */
const SIGNATURES: readonly Signature[] = [
  { mime: "image/png", bytes: [0x89, ...ascii("PNG")] },
  { mime: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
  { mime: "image/gif", bytes: ascii("GIF8") },
  { mime: "image/webp", bytes: [...ascii("RIFF"), -1, -1, -1, -1, ...ascii("WEBP")] },
  { mime: "image/bmp", bytes: ascii("BM") },
  { mime: "image/x-icon", bytes: [0, 0, 1, 0] },
  { mime: "application/pdf", bytes: ascii("%PDF-") },
  { mime: "application/zip", bytes: [...ascii("PK"), 3, 4] },
  { mime: "application/gzip", bytes: [0x1f, 0x8b] },
  { mime: "application/x-bzip2", bytes: ascii("BZh") },
  { mime: "application/x-xz", bytes: [0xfd, ...ascii("7zXZ")] },
  { mime: "application/zstd", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { mime: "application/x-tar", at: 257, bytes: ascii("ustar") },
  { mime: "application/x-elf", bytes: [0x7f, ...ascii("ELF")] },
  { mime: "application/wasm", bytes: [0, ...ascii("asm")] },
  { mime: "application/vnd.sqlite3", bytes: ascii("SQLite format 3") },
  { mime: "audio/ogg", bytes: ascii("OggS") },
  { mime: "audio/mpeg", bytes: ascii("ID3") },
  { mime: "video/mp4", at: 4, bytes: ascii("ftyp") },
];

/** The media type of a binary file by its first bytes; else `application/octet-stream`. */
export function mediaTypeOf(head: Uint8Array): string {
  const matches = ({ at = 0, bytes }: Signature) =>
    bytes.every((byte, index) => byte === -1 || head[at + index] === byte);
  return SIGNATURES.find(matches)?.mime ?? "application/octet-stream";
}
