/** A server on loopback that answers as a provider's model would, one scripted turn a request. */
import { createServer } from "node:http";

/**
 * `turns` are played in order, each `{ text }` or `{ calls: [{ id, name, arguments }] }`; after the last one it says "done".
 * `requests` holds the bodies of the requests for a turn, in order.
 */
export async function scriptedProvider(wire) {
  const state = { turns: [], requests: [] };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "null");
    if (request.method !== "POST" || !wire.isTurn({ path: request.url, body })) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"not scripted"}}');
      return;
    }
    const turn = state.turns[state.requests.length] ?? { text: "done" };
    state.requests.push(body);
    const answer = wire.answer(turn, { path: request.url, body });
    response.writeHead(200, answer.headers);
    for (const part of [answer.body].flat()) response.write(part);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    get requests() {
      return state.requests;
    },
    play(turns) {
      state.turns = turns;
      state.requests = [];
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers of a wire: one JSON document, or server-sent events. */
export const asJson = (value) => ({ headers: { "content-type": "application/json" }, body: JSON.stringify(value) });
export const asEvents = (events, { named = false, end } = {}) => ({
  headers: { "content-type": "text/event-stream" },
  body: [
    ...events.map((event) => `${named ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`),
    ...(end === undefined ? [] : [`data: ${end}\n\n`]),
  ],
});
