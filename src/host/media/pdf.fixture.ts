/** Small PDF files, written by hand. */
import { constants, deflateRawSync } from "node:zlib";

/**
 * A PDF with one page for each list of lines; a page without lines has no text.
 *
 * @param trailer - Additional entries of the trailer.
 */
export function pdfOf(pages: readonly (readonly string[])[], trailer = ""): Uint8Array {
  const contents = pages.map((lines) => {
    const shown = lines.map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`).join(" ");
    return lines.length === 0 ? "" : `BT /F1 12 Tf 72 720 Td 14 TL ${shown} ET`;
  });
  return pdfWith(
    contents.map((content) => ({ dictionary: "", data: latin1(content) })),
    trailer,
  );
}

/** A PDF whose pages have these streams as contents; its page count is `count`. */
export function pdfWith(
  streams: readonly { readonly dictionary: string; readonly data: Uint8Array }[],
  trailer = "",
  count = streams.length,
): Uint8Array {
  const kids = streams.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    latin1("<< /Type /Catalog /Pages 2 0 R >>"),
    latin1(`<< /Type /Pages /Count ${count} /Kids [${kids}] >>`),
    latin1("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...streams.flatMap(({ dictionary, data }, index) => [
      latin1(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
      Buffer.concat([latin1(`<< /Length ${data.length} ${dictionary} >>\nstream\n`), data, latin1("\nendstream")]),
    ]),
  ];
  const parts: Uint8Array[] = [latin1("%PDF-1.4\n")];
  const places: number[] = [];
  let length = parts[0]!.length;
  for (const [index, object] of objects.entries()) {
    places.push(length);
    const part = Buffer.concat([latin1(`${index + 1} 0 obj\n`), object, latin1("\nendobj\n")]);
    parts.push(part);
    length += part.length;
  }
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const end = `trailer << /Size ${objects.length + 1} /Root 1 0 R ${trailer}>>\nstartxref\n${length}\n%%EOF\n`;
  return new Uint8Array(Buffer.concat([...parts, latin1(table + end)]));
}

/** Trailer entries of a PDF with a password. */
export const ENCRYPTED = `/Encrypt << /Filter /Standard /V 1 /R 2 /O (${"o".repeat(32)}) /U (${"u".repeat(32)}) /P -4 >> /ID [(a)(b)] `;

function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** What zlib makes of a text, then a part so often, then a text; the part is compressed once. */
export function deflatedRepeat(before: string, part: string, times: number, after: string): Buffer {
  let [a, b] = [1, 0]; // the checksum, Adler-32
  const compressed = (text: string, count: number): Buffer => {
    const bytes = latin1(text);
    let [sum, weighted] = [0, 0];
    for (const byte of bytes) {
      sum = (sum + byte) % 65_521;
      weighted = (weighted + sum) % 65_521;
    }
    for (let index = 0; index < count; index++) {
      b = (b + (bytes.length % 65_521) * a + weighted) % 65_521;
      a = (a + sum) % 65_521;
    }
    const block = deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
    return Buffer.concat(Array<Buffer>(count).fill(block));
  };
  const blocks = [compressed(before, 1), compressed(part, times), compressed(after, 1)];
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(b * 65_536 + a);
  return Buffer.concat([Buffer.of(0x78, 0x9c), ...blocks, Buffer.of(3, 0), checksum]);
}
