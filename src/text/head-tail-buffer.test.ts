import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { HeadTailBuffer } from "./head-tail-buffer.js";

const encode = (text: string) => new TextEncoder().encode(text);
const limits = fc.nat(12);
const chunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });

describe("HeadTailBuffer", () => {
  it("keeps the first and the last bytes and counts the rest, however the stream is cut", () => {
    fc.assert(
      fc.property(limits, limits, chunks, (headBytes, tailBytes, parts) => {
        const buffer = new HeadTailBuffer(headBytes, tailBytes);
        for (const part of parts) buffer.push(part);
        const all = parts.flatMap((part) => [...part]);
        const head = all.slice(0, headBytes);
        const rest = all.slice(headBytes);
        const tail = tailBytes === 0 ? [] : rest.slice(-tailBytes);
        expect([...buffer.head()]).toEqual(head);
        expect([...buffer.tail()]).toEqual(tail);
        expect(buffer.produced).toBe(all.length);
        expect(buffer.omittedBytes).toBe(all.length - head.length - tail.length);
      }),
    );
  });

  it("copies what it is given and what it gives", () => {
    const buffer = new HeadTailBuffer(2, 2);
    const chunk = encode("abcdef");
    buffer.push(chunk);
    chunk.fill(0);
    buffer.head().fill(0);
    buffer.tail().fill(0);
    expect([buffer.head(), buffer.tail()]).toEqual([encode("ab"), encode("ef")]);
    expect(buffer.head().buffer.byteLength).toBe(2);
  });

  it("cuts text between characters and counts the parts it leaves out", () => {
    const text = "é—😀é—😀é—😀";
    fc.assert(
      fc.property(limits, limits, fc.integer({ min: 1, max: 9 }), (headBytes, tailBytes, size) => {
        const buffer = new HeadTailBuffer(headBytes, tailBytes);
        const bytes = encode(text);
        for (let at = 0; at < bytes.length; at += size) buffer.push(bytes.subarray(at, at + size));
        const { head, tail, omittedBytes: droppedBytes } = buffer.truncate();
        const decoder = new TextDecoder("utf-8", { fatal: true });
        expect(text.startsWith(decoder.decode(head))).toBe(true);
        expect(text.endsWith(decoder.decode(tail))).toBe(true);
        expect(head.length + tail.length + droppedBytes).toBe(bytes.length);
        expect(head.length).toBeGreaterThan(headBytes - 4);
        expect(tail.length).toBeGreaterThan(tailBytes - 4);
      }),
    );
  });

  it("gives everything as one head when nothing is dropped, so no character is torn at the seam", () => {
    const buffer = new HeadTailBuffer(1, 7);
    buffer.push(encode("éé"));
    expect(buffer.truncate()).toEqual({ head: encode("éé"), tail: new Uint8Array(), omittedBytes: 0 });
  });

  it("leaves bytes that are no characters where the limits fall, but for three", () => {
    const buffer = new HeadTailBuffer(4, 6);
    buffer.push(new Uint8Array(30).fill(0x80));
    const { head, tail, omittedBytes: droppedBytes } = buffer.truncate();
    expect([head.length, tail.length, droppedBytes]).toEqual([4, 3, 23]);
  });
});
