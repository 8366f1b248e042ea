import { beforeEach, expect, it } from "vitest";
import { EventLog, MAX_KEPT_CHARACTERS } from "./event-log.js";

let log: EventLog;
beforeEach(() => {
  log = new EventLog();
});

const LONG = "x".repeat(MAX_KEPT_CHARACTERS / 2);

const answer = (id: number, text = "done") => ({
  jsonrpc: "2.0" as const,
  id,
  result: { content: [{ type: "text", text }] },
});

async function after(eventId: string) {
  const sent: unknown[] = [];
  const streamId = await log.replayEventsAfter(eventId, {
    send: async (_id, message) => {
      sent.push("id" in message ? message.id : message);
    },
  });
  return { streamId, sent };
}

it("sends again what came after an event on the same stream, and not the event without content", async () => {
  const first = await log.storeEvent("a_b", {} as never);
  await log.storeEvent("other", answer(1));
  const second = await log.storeEvent("a_b", answer(2));
  await log.storeEvent("a_b", {} as never);
  await log.storeEvent("a_b", answer(3));
  expect(await after(first)).toEqual({ streamId: "a_b", sent: [2, 3] });
  expect(await after(second)).toEqual({ streamId: "a_b", sent: [3] });
  expect(await log.getStreamIdForEventId(first)).toBe("a_b");
  for (const unknown of ["", "a_b", "a_b_x", "_1"]) expect(await log.getStreamIdForEventId(unknown)).toBeUndefined();
});

it("forgets the oldest, and keeps the newest whatever its length", async () => {
  const first = await log.storeEvent("a", {} as never);
  await log.storeEvent("a", answer(1, LONG));
  await log.storeEvent("a", answer(2, LONG));
  expect(await after(first)).toEqual({ streamId: "a", sent: [2] });
  await log.storeEvent("a", answer(3, "x".repeat(10 * MAX_KEPT_CHARACTERS)));
  expect(await after(first)).toEqual({ streamId: "a", sent: [3] });
});

it.each([
  ["the text of a window", { contents: [{ uri: "artifact:///a-1", text: LONG }] }],
  ["the bytes of a window", { contents: [{ uri: "artifact:///a-1", blob: LONG }] }],
  ["a resource in an answer", { content: [{ type: "resource", resource: { uri: "u", text: LONG } }] }],
  ["facts beside an answer", { content: [], _meta: { "haft/facts": { output: LONG } } }],
  ["the texts of tools", { tools: [{ name: "a", description: LONG }] }],
])("counts %s", async (_, result) => {
  const first = await log.storeEvent("a", {} as never);
  for (const id of [1, 2]) await log.storeEvent("a", { jsonrpc: "2.0", id, result });
  expect(await after(first)).toEqual({ streamId: "a", sent: [2] });
});
