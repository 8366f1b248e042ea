import { expect, it } from "vitest";
import { OutputPublisher } from "./index.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const never = new Promise<void>(() => {});

/** A publisher whose listener takes a chunk when `take` is called. */
function slow() {
  const reported: string[] = [];
  const takes: (() => void)[] = [];
  const publisher = new OutputPublisher((chunk, offset) => {
    reported.push(`${offset}:${new TextDecoder().decode(chunk)}`);
    return new Promise<void>((resolve) => void takes.push(resolve));
  });
  return { publisher, reported, take: () => takes.shift()?.() };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

it("publishes at once when nothing is pending", () => {
  const reported: number[] = [];
  const publisher = new OutputPublisher((_chunk, offset) => void reported.push(offset));
  expect([publisher.publish(bytes("a"), 0), publisher.publish(bytes("b"), 1), publisher.held]).toEqual(
    Array(3).fill(undefined),
  );
  expect(reported).toEqual([0, 1]);
});

it("publishes one chunk after the other and resolves when the last has been taken", async () => {
  const { publisher, reported, take } = slow();
  const held = publisher.publish(bytes("a"), 0);
  expect(publisher.publish(bytes("bc"), 1)).toBe(held);
  expect([reported, publisher.waitingBytes]).toEqual([["0:a"], 2]);
  take();
  await turn();
  expect([reported, publisher.waitingBytes, publisher.held]).toEqual([["0:a", "1:bc"], 0, held]);
  take();
  await held;
  expect(publisher.held).toBeUndefined();
});

it("takes a throw and a rejection for a chunk that was taken", async () => {
  let turns = 0;
  const publisher = new OutputPublisher(() => {
    turns += 1;
    if (turns === 1) throw new Error("thrown");
    return Promise.reject(new Error("rejected"));
  });
  expect(publisher.publish(bytes("a"), 0)).toBeUndefined();
  await publisher.publish(bytes("b"), 1);
  expect([turns, publisher.held]).toEqual([2, undefined]);
});

it("at the end waits for a listener that keeps taking, and publishes nothing that comes later", async () => {
  const { publisher, reported, take } = slow();
  publisher.publish(bytes("a"), 0);
  publisher.publish(bytes("b"), 1);
  const finished = publisher.finish(never);
  expect(publisher.publish(bytes("late"), 2)).toBeUndefined();
  for (let takes = 0; takes < 2; takes += 1) {
    take();
    await turn();
  }
  await finished;
  expect(reported).toEqual(["0:a", "1:b"]);
});

it("at the end publishes all at once to a listener that is late", async () => {
  const { publisher, reported } = slow();
  const held = publisher.publish(bytes("a"), 0);
  publisher.publish(bytes("b"), 1);
  publisher.publish(bytes("c"), 2);
  await publisher.finish(Promise.resolve());
  await held;
  expect(reported).toEqual(["0:a", "1:b", "2:c"]);
});

it("releases what it held when the listener is gone, and drops what waits", async () => {
  const { publisher, reported } = slow();
  const held = publisher.publish(bytes("a"), 0);
  publisher.publish(bytes("b"), 1);
  publisher.stop();
  await held;
  expect([reported, publisher.waitingBytes, publisher.publish(bytes("c"), 2)]).toEqual([["0:a"], 0, undefined]);
});
