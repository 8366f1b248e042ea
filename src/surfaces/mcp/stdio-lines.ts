/** Splits stdin into lines. What is not a message is answered here, because the SDK drops it and the client would wait. */
import { errorResponse, PARSE_ERROR } from "./message-refusal.js";

/** The longest line in bytes; a longer one is answered with an error and skipped. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const NEWLINE = 10;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

const TOO_LONG = errorResponse(
  null,
  `The message was not read: its line is longer than ${MAX_MESSAGE_BYTES} bytes, the limit of this server. The rest of the line is skipped. Send less at once.`,
);
const NOT_UTF8 = errorResponse(null, "The line is not valid UTF-8.", PARSE_ERROR);
const NOT_JSON = errorResponse(
  null,
  "The line is not valid JSON. Send each message as JSON on a single line, without line breaks in it.",
  PARSE_ERROR,
);

type Listener = (...given: never[]) => void;

interface LineInput {
  /** For the SDK's transport: each chunk is a whole line of JSON of at most `MAX_LINE_BYTES`. */
  readonly stdin: NodeJS.ReadStream;
  /** The message that the transport is handling synchronously; undefined if none. */
  current(): unknown;
}

/** `stdin` as chunks of one line; `refuse` receives the error responses to lines that are not JSON. Empty lines are skipped. */
export function lineInput(stdin: NodeJS.ReadStream, refuse: (answer: object) => void): LineInput {
  let parts: Buffer[] = [];
  let bytes = 0;
  let message: unknown;
  const wrapped = new Map<Listener, (chunk: Buffer) => void>();

  const deliver = (line: Buffer, listener: (line: Buffer) => void): void => {
    const read = jsonIn(line);
    if (read === undefined) return;
    if ("answer" in read) {
      refuse(read.answer);
      return;
    }
    message = read.value;
    listener(line);
    message = undefined;
  };
  const giveLines = (listener: Listener) => (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, at);
      const part = chunk.subarray(at, newline === -1 ? chunk.length : newline + 1);
      at += part.length;
      const wasTooLong = bytes > MAX_MESSAGE_BYTES;
      bytes += part.length;
      if (bytes <= MAX_MESSAGE_BYTES) parts.push(part);
      else {
        parts = [];
        if (!wasTooLong) refuse(TOO_LONG);
      }
      if (newline === -1) continue;
      const line = bytes <= MAX_MESSAGE_BYTES ? Buffer.concat(parts) : undefined;
      bytes = 0;
      parts = [];
      if (line !== undefined) deliver(line, listener as (line: Buffer) => void);
    }
  };
  const on = (event: string, listener: Listener) => {
    const own = event === "data" ? giveLines(listener) : (listener as () => void);
    if (event === "data") wrapped.set(listener, own);
    stdin.on(event, own);
    return input;
  };
  const off = (event: string, listener: Listener) => {
    stdin.off(event, wrapped.get(listener) ?? (listener as () => void));
    return input;
  };
  const input = Object.create(stdin, {
    on: { value: on },
    off: { value: off },
    pause: { value: stdin.pause.bind(stdin) },
    listenerCount: { value: stdin.listenerCount.bind(stdin) },
  }) as NodeJS.ReadStream;
  return { stdin: input, current: () => message };
}

/** The value of a line, or the error response to it; undefined for an empty line. */
function jsonIn(line: Buffer): { readonly value: unknown } | { readonly answer: object } | undefined {
  let text: string;
  try {
    text = UTF8.decode(line);
  } catch {
    return { answer: NOT_UTF8 };
  }
  if (text.trim() === "") return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { answer: NOT_JSON };
  }
}
