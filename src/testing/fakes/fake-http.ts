/** An HTTP port that answers from a function and reaches no network. */
import { HaftError, type Http, type HttpHeaders, type HttpRequest, type HttpResponse } from "../../kernel/index.js";

/** What a fake answers. Absent: status 200, no headers, an empty body. */
export interface FakeResponse {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: HttpHeaders;
  readonly body?: string | Uint8Array;
  /** Where the request was redirected to before this response. */
  readonly url?: string;
}

/** The request that a fake was asked for. */
export type FakeRequest = Omit<HttpRequest, "signal"> & { readonly url: string; readonly method: string };

/**
 * @param answer - Throws for a request that fails. Each connection is reported to `hop` with a public address, a redirect too.
 * @returns `sent`: the requests in order.
 */
export function fakeHttp(
  answer: (request: FakeRequest) => FakeResponse | Promise<FakeResponse>,
): Http & { readonly sent: readonly FakeRequest[] } {
  const sent: FakeRequest[] = [];
  return {
    sent,
    async fetch(url, { hop, signal, method = "GET", ...request }): Promise<HttpResponse> {
      if (signal?.aborted === true) throw new HaftError("CALL_CANCELLED", `Stopped the request to ${url}.`);
      await hop({ method, url, address: "93.184.216.34" });
      sent.push({ url, method, ...request });
      const { status = 200, statusText = "", headers = [], body = "", url: last = url } = await answer(sent.at(-1)!);
      if (last !== url) await hop({ method: "GET", url: last, address: "93.184.216.34" });
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
      return {
        url: last,
        status,
        statusText,
        headers,
        redirects: last === url ? [] : [url],
        read: async (maxBytes) => ({
          bytes: bytes.slice(0, maxBytes),
          isComplete: bytes.length <= maxBytes,
        }),
        async *chunks() {
          yield bytes;
        },
        close() {},
      };
    },
  };
}
