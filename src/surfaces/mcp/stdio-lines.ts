/** Standard input, a line at a time, so that a message which the SDK refuses is answered: it drops it, and a client would wait. */

/** Bytes of a line that are remembered for its answer. */
const MAX_REMEMBERED_BYTES = 256 * 1024;
const NEWLINE = 10;

type Listener = (...given: never[]) => void;

export interface LineInput {
  /** For the SDK's transport. */
  readonly stdin: NodeJS.ReadStream;
  /** The line that the transport looks at just now; undefined when it looks at none, or the line is over 256 KiB. */
  current(): string | undefined;
}

/** `stdin`, whose chunks never hold more than one line or a part of one. */
export function lineInput(stdin: NodeJS.ReadStream): LineInput {
  const parts: Buffer[] = [];
  let bytes = 0;
  let line: string | undefined;
  const wrapped = new Map<Listener, (chunk: Buffer) => void>();
  const giveLines = (listener: Listener) => (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, at);
      const part = chunk.subarray(at, newline === -1 ? chunk.length : newline + 1);
      at += part.length;
      bytes += part.length;
      if (bytes <= MAX_REMEMBERED_BYTES) parts.push(part);
      if (newline !== -1) line = bytes <= MAX_REMEMBERED_BYTES ? Buffer.concat(parts).toString() : undefined;
      (listener as (part: Buffer) => void)(part);
      if (newline === -1) continue;
      line = undefined;
      bytes = parts.length = 0;
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
  return { stdin: input, current: () => line };
}

/** The answer to a line that the SDK has refused; undefined where nobody waits for one. */
export function refusalOf(line: string): object | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { id, method } = (typeof message === "object" && message !== null ? message : {}) as Record<string, unknown>;
  if (!Array.isArray(message) && (id === undefined || method === undefined)) return undefined;
  const isNamed = typeof id === "string" || typeof id === "number";
  const text = Array.isArray(message)
    ? "The message was not understood: it is a list. Send each request on a line of its own."
    : `The request was not understood: its fields are not those that MCP gives a request. Check \`id\`, \`method\`, \`params\` and \`params._meta\`.`;
  return { jsonrpc: "2.0", id: isNamed ? id : null, error: { code: -32_600, message: text } };
}
