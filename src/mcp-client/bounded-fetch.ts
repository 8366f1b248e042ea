/** Requests to another MCP server whose answers end at a limit. */

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** An open stream carries many messages. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** As `fetch`; reading more of an answer than the limit rejects. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.body === null) return answer;
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const limit = isStream ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > limit) controller.error(new Error(`its answer has more than ${limit / 1024 / 1024} MiB`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(counted), { status, statusText, headers });
}
