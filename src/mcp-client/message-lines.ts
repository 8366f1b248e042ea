/** What a program writes, as the messages in it; whatever it writes, what is kept and what is passed on is bounded. */
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { byteSize } from "../text/index.js";

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Bytes of lines that are no message; programs print a greeting by mistake. */
const MAX_STRAY_BYTES = 1024 * 1024;
/** Messages within a second that answer nothing. */
const MAX_UNSOLICITED = 2_000;
const SECOND_MS = 1_000;
const NEWLINE = 10;
/** Of JSON-RPC. */
const INTERNAL_ERROR = -32_603;

/** Notifications without a listener. */
const IGNORED_METHODS: readonly unknown[] = ["notifications/message"];

export class MessageLines {
  #parts: Buffer[] = [];
  #keptBytes = 0;
  #strayBytes = 0;
  #unsolicited = 0;
  #since = 0;

  /** The messages that end in this piece. @throws Error with a clause when the program writes what no server should. */
  *take(chunk: Buffer): Generator<JSONRPCMessage> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...this.#parts, chunk.subarray(from, end)]);
      this.#parts = [];
      this.#keptBytes = 0;
      from = end + 1;
      const message = this.#message(line);
      if (message !== undefined) yield message;
    }
    if (from === chunk.length) return;
    this.#parts.push(from === 0 ? chunk : Buffer.from(chunk.subarray(from)));
    this.#keptBytes += chunk.length - from;
    if (this.#keptBytes > MAX_MESSAGE_BYTES)
      throw new Error(`it wrote a message of more than ${byteSize(MAX_MESSAGE_BYTES)}`);
  }

  #message(line: Buffer): JSONRPCMessage | undefined {
    const value = parsed(line);
    if (value === undefined) {
      this.#strayBytes += line.length + 1;
      if (this.#strayBytes > MAX_STRAY_BYTES) throw new Error("it printed text that is not MCP to stdout");
      return undefined;
    }
    if ("method" in value) {
      this.#countUnsolicited();
      if (IGNORED_METHODS.includes(value.method)) return undefined;
    }
    return (isWithoutResult(value) ? noResult(value.id) : value) as unknown as JSONRPCMessage;
  }

  #countUnsolicited(): void {
    const now = performance.now();
    if (now - this.#since > SECOND_MS) {
      this.#since = now;
      this.#unsolicited = 0;
    }
    if (++this.#unsolicited > MAX_UNSOLICITED)
      throw new Error(`it sent more than ${MAX_UNSOLICITED} messages within a second`);
  }
}

/** Whether it answers with what no result can be. The SDK passes such an answer over, so its request would wait for ever. */
function isWithoutResult(value: Record<string, unknown>): boolean {
  if ("method" in value || !("id" in value) || !("result" in value)) return false;
  const { result } = value;
  return typeof result !== "object" || result === null || Array.isArray(result);
}

function noResult(id: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: "its response has no result" } };
}

function parsed(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
    return isMessage ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
