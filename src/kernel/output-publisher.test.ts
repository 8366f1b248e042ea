import { expect, it } from "vitest";
import { OutputPublisher } from "./index.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const never = new Promise<void>(() => {});

/** A telling whose listener takes a chunk when it is let. */
function slow() {
  const reported: string[] = [];
  const takes: (() => void)[] = [];
  const telling = new OutputPublisher((chunk, offset) => {
    reported.push(`${offset}:${new TextDecoder().decode(chunk)}`);
    return new Promise<void>((resolve) => void takes.push(resolve));
  });
  return { telling, told: reported, take: () => takes.shift()?.() };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

it("tells at once what nothing holds", () => {
  const reported: number[] = [];
  const telling = new OutputPublisher((_chunk, offset) => void reported.push(offset));
  expect([telling.publish(bytes("a"), 0), telling.publish(bytes("b"), 1), telling.held]).toEqual(
    Array(3).fill(undefined),
  );
  expect(reported).toEqual([0, 1]);
});

it("tells one chunk after the other and resolves when the last has been taken", async () => {
  const { telling, told: reported, take } = slow();
  const held = telling.publish(bytes("a"), 0);
  expect(telling.publish(bytes("bc"), 1)).toBe(held);
  expect([reported, telling.waitingBytes]).toEqual([["0:a"], 2]);
  take();
  await turn();
  expect([reported, telling.waitingBytes, telling.held]).toEqual([["0:a", "1:bc"], 0, held]);
  take();
  await held;
  expect(telling.held).toBeUndefined();
});

it("takes a throw and a rejection for a chunk that was taken", async () => {
  let turns = 0;
  const telling = new OutputPublisher(() => {
    turns += 1;
    if (turns === 1) throw new Error("thrown");
    return Promise.reject(new Error("rejected"));
  });
  expect(telling.publish(bytes("a"), 0)).toBeUndefined();
  await telling.publish(bytes("b"), 1);
  expect([turns, telling.held]).toEqual([2, undefined]);
});

it("at the end waits for a listener that takes, and tells nothing that comes later", async () => {
  const { telling, told: reported, take } = slow();
  telling.publish(bytes("a"), 0);
  telling.publish(bytes("b"), 1);
  const finished = telling.finish(never);
  expect(telling.publish(bytes("late"), 2)).toBeUndefined();
  for (let takes = 0; takes < 2; takes += 1) {
    take();
    await turn();
  }
  await finished;
  expect(reported).toEqual(["0:a", "1:b"]);
});

it("at the end tells all at once to a listener that is late", async () => {
  const { telling, told: reported } = slow();
  const held = telling.publish(bytes("a"), 0);
  telling.publish(bytes("b"), 1);
  telling.publish(bytes("c"), 2);
  await telling.finish(Promise.resolve());
  await held;
  expect(reported).toEqual(["0:a", "1:b", "2:c"]);
});

it("frees what it held when nobody listens any more, and forgets what waits", async () => {
  const { telling, told: reported } = slow();
  const held = telling.publish(bytes("a"), 0);
  telling.publish(bytes("b"), 1);
  telling.stop();
  await held;
  expect([reported, telling.waitingBytes, telling.publish(bytes("c"), 2)]).toEqual([["0:a"], 0, undefined]);
});
