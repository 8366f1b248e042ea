import { mkdtempSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MAX_STREAM_BYTES, OutputSegments, producedOf, readSegments, SEGMENT_BYTES } from "./output-segments.js";

let directory: string;
let prefix: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-segments-"));
  prefix = join(directory, "stdout");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textAt = (from: number, max = 100) => {
  const { bytes, ...rest } = readSegments(prefix, from, max);
  return { text: new TextDecoder().decode(bytes), ...rest };
};

it("gives back what was appended from any place, and where the next byte stands", () => {
  const files = new OutputSegments(prefix);
  files.append(bytesOf("0123"));
  files.append(bytesOf("456789"));
  expect(textAt(0)).toEqual({ text: "0123456789", next: 10, droppedBytes: 0, produced: 10 });
  expect(textAt(3, 4)).toEqual({ text: "3456", next: 7, droppedBytes: 0, produced: 10 });
  expect(textAt(10)).toEqual({ text: "", next: 10, droppedBytes: 0, produced: 10 });
  expect(textAt(99)).toEqual({ text: "", next: 10, droppedBytes: 0, produced: 10 });
  files.close();
  files.append(bytesOf("more"));
  expect([files.produced, producedOf(prefix)]).toEqual([14, 10]);
});

it("keeps no more than its most, the latest, and counts what has gone", () => {
  const files = new OutputSegments(prefix);
  const chunk = new Uint8Array(1024 * 1024);
  const rounds = (MAX_STREAM_BYTES + 3 * SEGMENT_BYTES) / chunk.length;
  for (let round = 0; round < rounds; round += 1) files.append(chunk.fill(round % 251));
  files.append(bytesOf("end"));
  files.close();
  const kept = readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  expect(kept).toBeLessThanOrEqual(MAX_STREAM_BYTES);
  expect(kept).toBeGreaterThan(MAX_STREAM_BYTES - 2 * SEGMENT_BYTES);
  const first = readSegments(prefix, 0, 10);
  expect(first.droppedBytes).toBe(files.produced - kept);
  expect(first.bytes[0]).toBe((first.droppedBytes / chunk.length) % 251);
  expect(textAt(files.produced - 3).text).toBe("end");
});

it("continues in the next file with the rest of a chunk that fills one, however many files that takes", () => {
  const files = new OutputSegments(prefix);
  files.append(new Uint8Array(SEGMENT_BYTES - 4));
  files.append(bytesOf("0123456789"));
  expect(textAt(SEGMENT_BYTES - 4)).toEqual({
    text: "0123456789",
    next: SEGMENT_BYTES + 6,
    droppedBytes: 0,
    produced: SEGMENT_BYTES + 6,
  });
  files.append(new Uint8Array(2 * SEGMENT_BYTES).fill(97));
  files.append(bytesOf("end"));
  expect(producedOf(prefix)).toBe(3 * SEGMENT_BYTES + 9);
  expect(readSegments(prefix, 0, 4 * SEGMENT_BYTES)).toMatchObject({ droppedBytes: 0, next: 3 * SEGMENT_BYTES + 9 });
  expect(readdirSync(directory).sort()).toEqual([0, 1, 2, 3].map((file) => `stdout.${file * SEGMENT_BYTES}`).sort());
});

it("leaves a gap where the disk was full, and continues after it", async () => {
  let isFull = false;
  const files = new OutputSegments(prefix, (descriptor, bytes) => {
    if (isFull) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    return writeSync(descriptor, bytes);
  });
  files.append(bytesOf("before "));
  isFull = true;
  files.append(bytesOf("lost "));
  isFull = false;
  // It is not tried again at once.
  files.append(bytesOf("lost too "));
  await new Promise((resolve) => setTimeout(resolve, 300));
  files.append(bytesOf("after"));
  expect(textAt(0)).toEqual({ text: "before ", next: 7, droppedBytes: 0, produced: 26 });
  expect(textAt(7)).toEqual({ text: "after", next: 26, droppedBytes: 14, produced: 26 });
});

it("writes what a short write has left, and takes the bytes before it as they stand", () => {
  const files = new OutputSegments(prefix, (descriptor, bytes) => writeSync(descriptor, bytes.subarray(0, 3)));
  files.append(bytesOf("0123456789"));
  expect(textAt(0).text).toBe("0123456789");
  const begun = new OutputSegments(join(directory, "stderr"));
  begun.append(bytesOf("head"));
  begun.skip(100);
  begun.append(bytesOf("tail"));
  expect(readSegments(join(directory, "stderr"), 4, 10)).toMatchObject({ next: 108, droppedBytes: 100, produced: 108 });
});
