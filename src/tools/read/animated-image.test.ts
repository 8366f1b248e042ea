import { expect, it } from "vitest";
import { isAnimated } from "./animated-image.js";

const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));
const header = [...ascii("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, ...[0, 0, 0, 255, 255, 255]];
const pause = [0x21, 0xf9, 4, 0, 10, 0, 0, 0];
const frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
const ownColours = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 2, 2, 0x44, 1, 0];
const webp = (form: string, flags: number) =>
  Uint8Array.from([...ascii("RIFF....WEBP"), ...ascii(form), 10, 0, 0, 0, flags]);

it("distinguishes a GIF of two frames from one of one, whatever is between them", () => {
  const gif = (...parts: number[][]) => isAnimated(Uint8Array.from([...header, ...parts.flat(), 0x3b]), "image/gif");
  expect(gif(frame)).toBe(false);
  expect(gif(pause, frame)).toBe(false);
  expect(gif(pause, frame, pause, frame)).toBe(true);
  expect(gif(ownColours, frame)).toBe(true);
});

it("detects an animated WebP by its header", () => {
  expect(isAnimated(webp("VP8X", 0x02), "image/webp")).toBe(true);
  expect(isAnimated(webp("VP8X", 0x10), "image/webp")).toBe(false);
  expect(isAnimated(webp("VP8 ", 0x02), "image/webp")).toBe(false);
});

it("is false for truncated files and unknown kinds", () => {
  const whole = Uint8Array.from([...header, ...pause, ...frame, ...pause, ...frame]);
  for (let length = 0; length < header.length + pause.length + frame.length + pause.length; length++)
    expect(isAnimated(whole.subarray(0, length), "image/gif")).toBe(false);
  expect(isAnimated(whole, "image/png")).toBe(false);
});
