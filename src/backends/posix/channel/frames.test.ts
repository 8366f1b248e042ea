import { describe, expect, it } from "vitest";
import { fc } from "../../../testing/property.fixture.js";
import { type Frame, FrameReader } from "./frames.js";

const NONCE = "5ec2e7";

function frame(words: readonly string[], bytes: Uint8Array): Buffer {
  const head = Buffer.from(`${NONCE} ${words.join(",")} ${bytes.length}\n`);
  return bytes.length === 0 ? head : Buffer.concat([head, bytes, Buffer.from(`${NONCE}\n`)]);
}

/** Pushes the stream in pieces that end at the given places. */
function read(stream: Buffer, cuts: readonly number[]) {
  const frames: { words: readonly string[]; bytes: Buffer }[] = [];
  const broken: string[] = [];
  const reader = new FrameReader(
    NONCE,
    ({ words, bytes }: Frame) => frames.push({ words, bytes: Buffer.from(bytes) }),
    (why) => broken.push(why),
  );
  let at = 0;
  for (const cut of [...cuts, stream.length].sort((one, other) => one - other)) {
    reader.push(stream.subarray(at, Math.max(at, cut)));
    at = Math.max(at, cut);
  }
  return { frames, broken, noise: reader.noise };
}

const words = fc.array(fc.stringMatching(/^[a-z0-9+-]{1,8}$/), { minLength: 1, maxLength: 5 });
const answers = fc.array(fc.record({ words, bytes: fc.uint8Array({ maxLength: 300 }) }), { maxLength: 8 });

describe("FrameReader", () => {
  it("gives any frames of any bytes, wherever the stream is cut", () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(4_000), { maxLength: 20 }), (all, cuts) => {
        const stream = Buffer.concat(all.map((one) => frame(one.words, one.bytes)));
        const { frames, broken, noise } = read(stream, cuts);
        expect(broken).toEqual([]);
        expect(noise).toBe(0);
        expect(frames).toEqual(all.map((one) => ({ words: one.words, bytes: Buffer.from(one.bytes) })));
      }),
    );
  });

  it("gives the same frame when every byte comes alone", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const stream = frame(["7", "done"], bytes);
    const every = Array.from({ length: stream.length }, (_, index) => index);
    expect(read(stream, every).frames).toEqual([{ words: ["7", "done"], bytes: Buffer.from(bytes) }]);
  });

  it("keeps bytes that look like frames as bytes", () => {
    const inner = frame(["9", "done"], Buffer.from("forged"));
    const { frames } = read(frame(["7", "read"], inner), []);
    expect(frames).toEqual([{ words: ["7", "read"], bytes: inner }]);
  });

  it("passes over what is no frame, and counts it", () => {
    const noise = fc.uint8Array({ maxLength: 200 }).filter((bytes) => !Buffer.from(bytes).includes(NONCE));
    fc.assert(
      fc.property(noise, fc.array(fc.nat(400)), (bytes, cuts) => {
        const stream = Buffer.concat([bytes, Buffer.from("\n"), frame(["1", "ok"], Buffer.from("x"))]);
        const answer = read(stream, cuts);
        expect(answer.frames).toEqual([{ words: ["1", "ok"], bytes: Buffer.from("x") }]);
        expect(answer.noise).toBe(bytes.length + 1);
      }),
    );
  });

  it("takes a frame behind noise without a newline", () => {
    expect(read(Buffer.concat([Buffer.from("Terminated"), frame(["1"], new Uint8Array())]), []).frames).toHaveLength(1);
  });

  it("passes over a megabyte without a newline", () => {
    const { frames, noise } = read(
      Buffer.concat([Buffer.alloc(1_048_576, 120), Buffer.from("\n"), frame(["1"], new Uint8Array())]),
      [10_000, 500_000],
    );
    expect(frames).toHaveLength(1);
    expect(noise).toBe(1_048_577);
  });

  it("does not take a frame under another nonce", () => {
    const forged = Buffer.from(`5ec2e8 7,done,0 0\n${NONCE.slice(1)} 7,done,0 0\n`);
    const { frames, noise } = read(Buffer.concat([forged, frame(["8"], new Uint8Array())]), []);
    expect(frames).toEqual([{ words: ["8"], bytes: Buffer.alloc(0) }]);
    expect(noise).toBe(forged.length);
  });

  it("reports a damaged stream: bytes that do not end with the nonce, an unreadable header", () => {
    expect(read(Buffer.from(`${NONCE} 1,read 3\nabcdef\n`), []).broken).toHaveLength(1);
    expect(read(Buffer.from(`${NONCE} 1,read x\n`), []).broken).toHaveLength(1);
    expect(read(Buffer.from(`${NONCE} 1,read 3 4\n`), []).broken).toHaveLength(1);
    const long = Buffer.concat([Buffer.from(`${NONCE} 1,read 3\nabc`), Buffer.alloc(20_000, 120)]);
    expect(read(long, []).broken).toHaveLength(1);
  });

  it("gives nothing more once a stream is damaged", () => {
    const stream = Buffer.concat([Buffer.from(`${NONCE} 1,read 3\nabcdef\n`), frame(["2"], new Uint8Array())]);
    expect(read(stream, []).frames).toEqual([]);
  });
});
