import { expect, it } from "vitest";
import type { ArtifactPart } from "../../../../kernel/index.js";
import { type LineRange, lineRange, printArtifact } from "./artifact-output.js";

/** What is kept of an output: all of it, or its ends. */
function keptOf(bytes: Buffer, gap?: readonly [number, number]) {
  return async (offset: number, length: number): Promise<ArtifactPart> => {
    const end = gap !== undefined && offset < gap[1] ? gap[0] : bytes.length;
    const part = bytes.subarray(offset, Math.min(end, offset + length));
    return { bytes: part, keptBytes: 0, producedBytes: bytes.length, ...(gap === undefined ? {} : { gap }) };
  };
}

async function print(
  bytes: string | Buffer,
  options: { isTTY?: boolean; isRaw?: boolean; lines?: LineRange; gap?: readonly [number, number] } = {},
) {
  const written: Buffer[] = [];
  const { isTTY = false, isRaw = false, lines, gap } = options;
  const output = {
    isTTY,
    write(chunk: Uint8Array, done: (error?: Error | null) => void): boolean {
      written.push(Buffer.from(chunk));
      done();
      return true;
    },
  };
  const reported = await printArtifact(
    keptOf(Buffer.from(bytes), gap),
    { isRaw, ...(lines === undefined ? {} : { lines }) },
    output,
  );
  return { ...reported, bytes: Buffer.concat(written) };
}

it("a pipe gets every byte, a terminal text only, unless it is asked for", async () => {
  const bytes = Buffer.from([0, 1, 255, 10, 27]);
  expect(await print(bytes)).toEqual({ isDone: true, bytes });
  const refused = await print(bytes, { isTTY: true });
  expect(refused).toEqual({ isDone: false, bytes: Buffer.alloc(0), note: expect.stringContaining("export ID PATH") });
  expect(await print(bytes, { isTTY: true, isRaw: true })).toEqual({ isDone: true, bytes });
});

it("a terminal gets text without what it would obey, characters whole across steps", async () => {
  const text = `${"é".repeat(200_000)}\u001b[2Jend\n`;
  const shown = await print(`a${text}`, { isTTY: true });
  expect(shown.bytes.toString()).toBe(`a${"é".repeat(200_000)}end\n`);
  expect(shown).toMatchObject({ isDone: true, note: expect.stringContaining("--raw") });
  const cutOff = await print(Buffer.from("end é").subarray(0, -1), { isTTY: true });
  expect(cutOff.bytes.toString()).toBe("end \ufffd");
});

it("bytes that were not kept are named, and no line is counted behind them", async () => {
  const text = Buffer.from("one\ntwo\nthree\nfour\n");
  const whole = await print(text, { gap: [4, 14] });
  expect(whole.bytes.toString()).toBe("one\nfour\n");
  expect(whole.note).toBe("showed the stored part of ID: bytes 4 to 14 of 19 were not stored.");
  expect(await print(text, { gap: [4, 14], lines: lineRange("1") })).toMatchObject({ isDone: true });
  expect(await print(text, { gap: [4, 14], lines: lineRange("1-2") })).toMatchObject({ isDone: false });
});

it("one that is removed while it is shown is reported, and nothing is written to a reader that left", async () => {
  const gone = await printArtifact(async () => "evicted", { isRaw: false }, { write: () => true });
  expect(gone).toEqual({ isDone: false, note: expect.stringContaining("deleted in the meantime") });
  let writes = 0;
  const write = (_: Uint8Array, done: (error?: Error) => void): boolean => {
    writes += 1;
    done(new Error("EPIPE"));
    return false;
  };
  expect(await printArtifact(keptOf(Buffer.alloc(1_000_000)), { isRaw: true }, { write })).toEqual({ isDone: true });
  expect(writes).toBe(1);
});
