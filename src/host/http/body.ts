/** Decodes a body as it arrives, and no more of it than is asked for. */
import { addAbortSignal, type Duplex, pipeline } from "node:stream";
import * as zlib from "node:zlib";
import { HaftError, type HttpHeaders, messageOf } from "../../kernel/index.js";
import { unreadableBody } from "./faults.js";

const MAX_ENCODINGS = 3;
const CHUNK_BYTES = 64 * 1024;

type Decoder = (first: Uint8Array) => Duplex;

const OPTIONS = { chunkSize: CHUNK_BYTES };
const gunzip: Decoder = () => zlib.createGunzip(OPTIONS);
/** The standard says with a zlib header, some servers send without. */
const inflate: Decoder = ([byte = 0]) =>
  (byte & 0x0f) === 8 ? zlib.createInflate(OPTIONS) : zlib.createInflateRaw(OPTIONS);
/** Node.js has it since 22.15. */
const unzstd = (zlib as { createZstdDecompress?: (options: object) => Duplex }).createZstdDecompress;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflate,
  br: () => zlib.createBrotliDecompress(OPTIONS),
  ...(unzstd === undefined ? {} : { zstd: () => unzstd(OPTIONS) }),
};

/** What a request says it accepts. */
export const ACCEPT_ENCODING = Object.keys(DECODERS)
  .filter((name) => name !== "x-gzip")
  .join(", ");

interface DecodingOptions {
  readonly url: URL;
  /** Ends decoding: a few bytes can keep a decoder busy for minutes without output. Asked for only where something is decoded. */
  readonly signal: () => AbortSignal;
}

/**
 * @param source - Throws a HaftError when the connection breaks.
 * @throws `WEB_UNREADABLE`, at the first read. Not for an empty body, whatever its headers say.
 */
export function decodedBody(
  source: AsyncIterable<Uint8Array>,
  headers: HttpHeaders,
  { url, signal }: DecodingOptions,
): AsyncIterable<Uint8Array> {
  const encodings = headers
    .filter(([name]) => name === "content-encoding")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (encodings.length > MAX_ENCODINGS) {
    throw unreadableBody(url, `it is encoded ${encodings.length} times, and at most ${MAX_ENCODINGS} are decoded`);
  }
  return encodings.reduceRight((body, encoding) => decoded(body, encoding, { url, signal }), source);
}

/** A body without a byte stays empty, though no encoding has such a form. */
async function* decoded(
  source: AsyncIterable<Uint8Array>,
  encoding: string,
  { url, signal }: DecodingOptions,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  if (!Object.hasOwn(DECODERS, encoding)) {
    throw unreadableBody(url, `its encoding ${JSON.stringify(encoding)} is not one of ${ACCEPT_ENCODING}`);
  }
  async function* whole() {
    yield first.value as Uint8Array;
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) return;
      yield next.value;
    }
  }
  const decoder = addAbortSignal(signal(), DECODERS[encoding]!(first.value));
  pipeline(whole(), decoder, () => {}); // what fails is thrown below
  try {
    for await (const chunk of decoder) yield chunk;
  } catch (error) {
    if (HaftError.is(error)) throw error;
    throw unreadableBody(url, `it is not valid ${encoding} or was truncated (${messageOf(error)})`, error);
  }
}
