import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/index.js";
import { BlockInput, INPUT_BLOCK_BYTES } from "./block-input.js";
import { HaftError } from "./errors.js";

/** A reader that takes a block when it is told to. */
function reader() {
  const blocks: Uint8Array[] = [];
  const waiting: { take(isTaken?: boolean): void; fail(thrown: unknown): void }[] = [];
  const log: string[] = [];
  const end = {
    send(block: Uint8Array) {
      blocks.push(block);
      log.push(`sent ${block.length}`);
      return new Promise<boolean>((resolve, fail) => {
        waiting.push({ take: (isTaken = true) => resolve(isTaken), fail });
      });
    },
    close: () => void log.push("closed"),
  };
  const clock = fakeClock();
  return { input: new BlockInput(end, clock), blocks, waiting, log, clock };
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
const words = (text: string) => new TextEncoder().encode(text);

describe("input in blocks", () => {
  it("has one block on its way, and sends the next when that was taken", async () => {
    const { input, log, waiting } = reader();
    const written = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES * 2 + 1));
    await settle();
    expect(log).toEqual(["sent 65536"]);
    waiting[0]?.take();
    await settle();
    waiting[1]?.take();
    await settle();
    waiting[2]?.take();
    expect(await written).toEqual({ takenBytes: 131_073, waitingBytes: 0, isClosed: false });
    expect(log).toEqual(["sent 65536", "sent 65536", "sent 1"]);
  });

  it("keeps the order of its calls, and tells a write that got no turn in time that nothing was taken", async () => {
    const { input, blocks, waiting, clock } = reader();
    const first = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES + 1));
    const second = input.write("job-1", words("second"), { waitMs: 100 });
    const third = input.write("job-1", words("third"));
    await settle();
    await clock.advance(100);
    expect(await second).toEqual({ takenBytes: 0, waitingBytes: INPUT_BLOCK_BYTES, isClosed: false });
    for (let at = 0; at < 3; at += 1) {
      waiting[at]?.take();
      await settle();
    }
    expect((await first).takenBytes + (await third).takenBytes).toBe(INPUT_BLOCK_BYTES + 6);
    expect(blocks.map((block) => block.length)).toEqual([INPUT_BLOCK_BYTES, 1, 5]);
  });

  it("keeps a copy of what waits, so that a caller who has been answered may use its bytes again", async () => {
    const { input, blocks, clock } = reader();
    const bytes = words("kept");
    const written = input.write("job-1", bytes, { waitMs: 10 });
    await settle();
    await clock.advance(10);
    expect(await written).toEqual({ takenBytes: 4, waitingBytes: 4, isClosed: false });
    bytes.fill(0);
    expect(new TextDecoder().decode(blocks[0])).toBe("kept");
  });

  it("closes behind what is on its way, once, and takes no more from then on", async () => {
    const { input, log, waiting } = reader();
    const written = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES + 1));
    await settle();
    await input.close();
    await input.close();
    expect(log).toEqual(["sent 65536"]);
    waiting[0]?.take();
    expect(await written).toEqual({ takenBytes: INPUT_BLOCK_BYTES, waitingBytes: 0, isClosed: true });
    await settle();
    expect(log).toEqual(["sent 65536", "closed"]);
    await expect(input.write("job-1", words("x"))).rejects.toMatchObject({ code: "JOB_INPUT_CLOSED" });
  });

  it("does not count a block that the end of the reader has cut, and is refused from then on", async () => {
    const { input, waiting } = reader();
    const written = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES + 1));
    await settle();
    waiting[0]?.take();
    await settle();
    waiting[1]?.take(false);
    expect(await written).toEqual({ takenBytes: INPUT_BLOCK_BYTES, waitingBytes: 0, isClosed: true });
    const refused = await input.write("job-1", words("x")).catch((thrown: unknown) => thrown);
    expect(HaftError.is(refused, "JOB_INPUT_CLOSED") && refused.message).toBe(
      'Did not write to "job-1": it has ended, or its standard input is closed. Nobody reads it any more; start it again to give it input.',
    );
  });

  it("tells the next write, once, of a block that failed when nobody waited for it any more", async () => {
    const { input, waiting, clock } = reader();
    const first = input.write("job-1", words("lost"), { waitMs: 10 });
    await settle();
    await clock.advance(10);
    expect((await first).waitingBytes).toBe(4);
    waiting[0]?.fail(new Error("the line was cut"));
    await settle();
    await expect(input.write("job-1", words("next"))).rejects.toThrow("the line was cut");
    const last = input.write("job-1", words("last"));
    await settle();
    waiting[1]?.take();
    expect((await last).takenBytes).toBe(4);
  });
});
