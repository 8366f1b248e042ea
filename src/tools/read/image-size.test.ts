import { expect, it } from "vitest";
import { imageSize } from "./image-size.js";

const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));
const png = Uint8Array.from([0x89, ...ascii("PNG\r\n\x1a\n"), 0, 0, 0, 13, ...ascii("IHDR"), 0, 0, 4, 0, 0, 0, 3, 0]);
const gif = Uint8Array.from([...ascii("GIF89a"), 0x40, 0x01, 0xf0, 0x00]);
const app0 = [0xff, 0xe0, 0, 16, ...new Array<number>(14).fill(0)];
const jpeg = Uint8Array.from([0xff, 0xd8, ...app0, 0xff, 0xff, 0xc0, 0, 17, 8, 0x01, 0x2c, 0x02, 0x58]);
const riff = (form: string, rest: number[]) => Uint8Array.from([...ascii("RIFF....WEBP"), ...ascii(form), ...rest]);
const lossy = riff("VP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x20, 0x03, 0x58, 0x02]);
const lossless = riff("VP8L", [0, 0, 0, 0, 0x2f, 0x1f, 0xc3, 0x95, 0]);
const extended = riff("VP8X", [10, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x07, 0, 0xff, 0x03, 0]);

it.each([
  ["image/png", png, [1024, 768]],
  ["image/gif", gif, [320, 240]],
  ["image/jpeg", jpeg, [600, 300]],
  ["image/webp", lossy, [800, 600]],
  ["image/webp", lossless, [800, 600]],
  ["image/webp", extended, [2048, 1024]],
] as const)("reads the size of %s from its header", (mime, bytes, size) => {
  expect(imageSize(bytes, mime)).toEqual(size);
});

it("returns no size for a truncated header or another kind", () => {
  expect(imageSize(png.subarray(0, 18), "image/png")).toBeUndefined();
  expect(imageSize(jpeg.subarray(0, 24), "image/jpeg")).toBeUndefined();
  expect(imageSize(Uint8Array.of(0xff, 0xd8, 0, 0), "image/jpeg")).toBeUndefined();
  expect(imageSize(png, "image/bmp")).toBeUndefined();
});
