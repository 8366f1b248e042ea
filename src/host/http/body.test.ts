import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodedBody } from "./body.js";
import { failureOf, openHttp, serveHttp, serveRaw, signalled } from "./http.fixture.js";

const TEXT = "All the words of a page. ".repeat(4_000);
const serveBody = (encoding: string, body: Uint8Array, pieces = 1) =>
  serveHttp(async (_, response) => {
    response.writeHead(200, { "content-encoding": encoding });
    const size = Math.ceil(body.length / pieces);
    for (let at = 0; at < body.length; at += size) response.write(body.subarray(at, at + size));
    response.end();
  });
const bodyOf = async (port: number, maxBytes = 1_000_000) => {
  const response = await openHttp().fetch(`http://site.test:${port}/`);
  const { bytes, isComplete } = await response.read(maxBytes);
  return { text: new TextDecoder().decode(bytes), isComplete };
};
/** Since Node.js 22.15. */
const compressZstd = (zlib as { zstdCompressSync?: (text: string) => Uint8Array }).zstdCompressSync;

describe("a body", () => {
  it.each<[encoding: string, body: Uint8Array]>([
    ["identity", Buffer.from(TEXT)],
    ["gzip", zlib.gzipSync(TEXT)],
    ["GZIP", zlib.gzipSync(TEXT)],
    ["x-gzip", zlib.gzipSync(TEXT)],
    ["deflate", zlib.deflateSync(TEXT)],
    ["deflate", zlib.deflateRawSync(TEXT)],
    ["br", zlib.brotliCompressSync(TEXT)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(TEXT))],
    ["deflate, gzip, identity, br", zlib.brotliCompressSync(zlib.gzipSync(zlib.deflateRawSync(TEXT)))],
    ...(compressZstd === undefined ? [] : [["zstd", compressZstd(TEXT)] as [string, Uint8Array]]),
  ])("encoded as %s is decoded, whole and byte by byte", async (encoding, body) => {
    expect(await bodyOf(await serveBody(encoding, body))).toEqual({ text: TEXT, isComplete: true });
    expect(await bodyOf(await serveBody(encoding, body, 1_000))).toEqual({ text: TEXT, isComplete: true });
  });

  it.each<[encoding: string, body: Uint8Array, why: RegExp]>([
    ["gzip", zlib.gzipSync(TEXT).subarray(0, -9), /not valid gzip or was truncated \(unexpected end of file\)/],
    ["gzip", Buffer.concat([zlib.gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8)]), /incorrect data check/],
    ["gzip", Buffer.from("plain"), /not valid gzip/],
    ["deflate", zlib.deflateSync(TEXT).subarray(0, -5), /not valid deflate or was truncated/],
    ["br", zlib.brotliCompressSync(TEXT).subarray(0, -4), /not valid br or was truncated/],
    ["gzip, gzip", zlib.gzipSync(TEXT), /not valid gzip/],
    ["compress", Buffer.from("x"), /its encoding "compress" is not one of gzip, deflate, br/],
    ["gzip, gzip, br, br", Buffer.from("x"), /encoded 4 times, and at most 3 are decoded/],
    ...(compressZstd === undefined
      ? [["zstd", Buffer.from("x"), /its encoding "zstd" is not one of/] as [string, Uint8Array, RegExp]]
      : []),
  ])("that is not valid %s fails", async (encoding, body, why) => {
    const port = await serveBody(encoding, body);
    const { code, message, details } = await failureOf(bodyOf(port));
    expect({ code, details }).toEqual({
      code: "WEB_UNREADABLE",
      details: { url: `http://site.test:${port}/`, why: expect.stringMatching(why) },
    });
    expect(message).toBe(`Did not read the body of "http://site.test:${port}/": ${details.why}.`);
  });

  it("is read up to a limit of decoded bytes", async () => {
    const port = await serveBody("gzip", zlib.gzipSync("0123456789"));
    expect(await bodyOf(port, 4)).toEqual({ text: "0123", isComplete: false });
    expect(await bodyOf(port, 10)).toEqual({ text: "0123456789", isComplete: true });
    expect(await bodyOf(port, 0)).toEqual({ text: "", isComplete: false });
  });

  it("that never ends costs no more than its limit, and its connection is closed", async () => {
    const closed = signalled();
    const port = await serveHttp((_, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536, "x"))) {}
      };
      response.on("drain", more).on("close", () => closed.resolve());
      more();
    });
    const { text, isComplete } = await bodyOf(port, 100_000);
    expect([text.length, isComplete]).toEqual([100_000, false]);
    await closed.promise;
  });

  it("waits for whoever reads it in chunks", async () => {
    let sent = 0;
    const port = await serveHttp((_, response) => {
      const more = () => {
        while (sent < 400) {
          sent++;
          if (!response.write(Buffer.alloc(65_536))) return;
        }
        response.end();
      };
      response.on("drain", more);
      more();
    });
    const response = await openHttp().fetch(`http://site.test:${port}/`);
    let bytes = 0;
    for await (const chunk of response.chunks()) {
      if (bytes === 0) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(sent).toBeLessThan(350);
      }
      bytes += chunk.length;
    }
    expect(bytes).toBe(400 * 65_536);
  });

  it("is given once, and not after the response was closed", async () => {
    const port = await serveBody("identity", Buffer.from("x"));
    const { fetch } = openHttp();
    const response = await fetch(`http://site.test:${port}/`);
    await response.read(10);
    expect(await failureOf(response.read(10))).toMatchObject({
      code: "CALL_INVALID",
      details: { problem: "the body of a response can be read once" },
    });
    const closed = await fetch(`http://site.test:${port}/`);
    expect(await failureOf(closed.read(Number.NaN))).toMatchObject({ code: "CALL_INVALID" });
    closed.close();
    closed.close();
    expect(await failureOf(closed.read(10))).toMatchObject({ code: "CALL_CANCELLED" });
  });

  it.each([
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ])("of %s with status %i is empty, whatever its headers say", async (method, status) => {
    const port = await serveHttp((_, response) => {
      response.writeHead(status, { "content-encoding": "gzip, odd", "content-length": 100 }).end();
    });
    const { fetch } = openHttp();
    for (let turn = 0; turn < 2; turn++) {
      const response = await fetch(`http://site.test:${port}/`, { method });
      expect(response.status).toBe(status);
      expect(await response.read(10)).toEqual({ bytes: new Uint8Array(0), isComplete: true });
    }
  });

  it("that ends with its connection is whole, as HTTP/1.0 has it", async () => {
    const port = await serveRaw((socket) => socket.end("HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nold body"));
    expect(await bodyOf(port)).toEqual({ text: "old body", isComplete: true });
  });

  it("keeps duplicate headers in their order", async () => {
    const port = await serveRaw((socket) =>
      socket.end(
        "HTTP/1.1 200 Fine\r\nSet-Cookie: a=1\r\nX: \xe9\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n",
        "latin1",
      ),
    );
    const { statusText, headers } = await openHttp().fetch(`http://site.test:${port}/`);
    expect({ statusText, headers }).toEqual({
      statusText: "Fine",
      headers: [
        ["set-cookie", "a=1"],
        ["x", "\xe9"],
        ["set-cookie", "b=2"],
        ["content-length", "0"],
      ],
    });
  });
});

it("decoding ends with the exchange, also where nothing comes out of a decoder", async () => {
  const control = new AbortController();
  async function* endless() {
    yield zlib.gzipSync("").subarray(0, 10);
    for (let block = 0; ; block += 1) {
      if (block === 100) control.abort(new Error("the time is over"));
      yield Buffer.from([0, 0, 0, 0xff, 0xff]); // an empty stored block
    }
  }
  const body = decodedBody(endless(), [["content-encoding", "gzip"]], {
    url: new URL("http://site.test/"),
    signal: () => control.signal,
  });
  await expect(body[Symbol.asyncIterator]().next()).rejects.toThrow(/aborted/);
});
