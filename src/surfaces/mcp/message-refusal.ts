/** JSON-RPC error responses to messages that the SDK would ignore or answer wrongly. */
import { isRecord } from "../../kernel/index.js";

export const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export function errorResponse(id: string | number | null, message: string, code = INVALID_REQUEST): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The error response to a JSON value that the SDK has rejected; undefined for notifications and responses, which get none. */
export function refusalOf(message: unknown): object | undefined {
  if (Array.isArray(message))
    return errorResponse(null, "Batches are not supported: the message is a list. Send one request per message.");
  if (!isRecord(message)) return errorResponse(null, "The message was not understood: it is not a JSON object.");
  const { id, method } = message;
  if ("result" in message || "error" in message || (method !== undefined && id === undefined)) return undefined;
  const isNamed = typeof id === "string" || typeof id === "number";
  const why =
    method === undefined
      ? "it has no `method`"
      : "its fields are not those that MCP gives a request. Check `id`, `method`, `params` and `params._meta`";
  return errorResponse(isNamed ? id : null, `The request was not understood: ${why}.`);
}

/** The pending requests of a connection, by id. */
export class OpenRequests {
  readonly #ids = new Set<unknown>();

  has(id: unknown): boolean {
    return this.#ids.has(id);
  }

  /** Records a received message. Returns the error response if the id of a request is still in use: it must not be handled. */
  received(message: unknown): object | undefined {
    if (!isRecord(message)) return undefined;
    // A cancelled request gets no response.
    if (message.method === "notifications/cancelled" && isRecord(message.params))
      this.#ids.delete(message.params.requestId);
    const { id } = message;
    if (message.method === undefined || (typeof id !== "string" && typeof id !== "number")) return undefined;
    if (!this.#ids.has(id)) {
      this.#ids.add(id);
      return undefined;
    }
    return errorResponse(id, `Request id ${JSON.stringify(id)} is already in use. Send the request with another id.`);
  }

  /** Removes a request that was received and is not handled after all. */
  refused(message: unknown): void {
    if (isRecord(message)) this.#ids.delete(message.id);
  }

  /** Records a sent message. */
  sent(message: unknown): void {
    if (isRecord(message) && message.method === undefined) this.#ids.delete(message.id);
  }
}
