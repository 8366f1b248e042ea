import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/index.js";
import { BlockInput, INPUT_BLOCK_BYTES } from "./block-input.js";
import { HaftError } from "./errors.js";

/** A reader that takes a block when it is given one. */
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
    expect(await written).toEqual({ acceptedBytes: 131_073, waitingBytes: 0, isClosed: false });
    expect(log).toEqual(["sent 65536", "sent 65536", "sent 1"]);
  });

  it("keeps the order of its calls, and reports to a write that timed out in the queue that nothing was taken", async () => {
    const { input, blocks, waiting, clock } = reader();
    const first = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES + 1));
    const second = input.write("job-1", words("second"), { waitMs: 100 });
    const third = input.write("job-1", words("third"));
    await settle();
    await clock.advance(100);
    expect(await second).toEqual({ acceptedBytes: 0, waitingBytes: INPUT_BLOCK_BYTES, isClosed: false });
    for (let at = 0; at < 3; at += 1) {
      waiting[at]?.take();
      await settle();
    }
    expect((await first).acceptedBytes + (await third).acceptedBytes).toBe(INPUT_BLOCK_BYTES + 6);
    expect(blocks.map((block) => block.length)).toEqual([INPUT_BLOCK_BYTES, 1, 5]);
  });

  it("keeps a copy of what waits, so that a caller who has been answered may use its bytes again", async () => {
    const { input, blocks, clock } = reader();
    const bytes = words("kept");
    const written = input.write("job-1", bytes, { waitMs: 10 });
    await settle();
    await clock.advance(10);
    expect(await written).toEqual({ acceptedBytes: 4, waitingBytes: 4, isClosed: false });
    bytes.fill(0);
    expect(new TextDecoder().decode(blocks[0])).toBe("kept");
  });

  it("closes behind the writes that were called before, once, and takes no more from then on", async () => {
    const { input, log, waiting } = reader();
    const written = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES + 1));
    const second = input.write("job-1", words("x"));
    await input.close();
    await input.close();
    await expect(input.write("job-1", words("late"))).rejects.toMatchObject({ code: "JOB_INPUT_CLOSED" });
    expect(log).toEqual(["sent 65536"]);
    for (const at of [0, 1, 2]) {
      waiting[at]?.take();
      await settle();
    }
    expect(await written).toEqual({ acceptedBytes: INPUT_BLOCK_BYTES + 1, waitingBytes: 0, isClosed: true });
    expect(await second).toEqual({ acceptedBytes: 1, waitingBytes: 0, isClosed: true });
    expect(log).toEqual(["sent 65536", "sent 1", "sent 1", "closed"]);
  });

  it("passes on a first block before an end of file that is requested at once, and reports when that is done", async () => {
    const log: string[] = [];
    const end = {
      send: (block: Uint8Array) => log.push(`sent ${block.length}`) > 0,
      close: () => void log.push("closed"),
    };
    const input = new BlockInput(end, fakeClock());
    const written = input.write("job-1", words("all"));
    await input.close();
    expect(await written).toMatchObject({ acceptedBytes: 3 });
    expect(log).toEqual(["sent 3", "closed"]);
  });

  it("asks again for an end of file that failed, and takes input until then", async () => {
    let fails = 2;
    const log: string[] = [];
    const end = {
      send: (block: Uint8Array) => log.push(`sent ${block.length}`) > 0,
      async close() {
        if (fails-- > 0) throw new Error("the line was cut");
        log.push("closed");
      },
    };
    const input = new BlockInput(end, fakeClock());
    await input.write("job-1", words("a"));
    await expect(input.close()).rejects.toThrow("the line was cut");
    await input.write("job-1", words("b"));
    await expect(input.close()).rejects.toThrow("the line was cut");
    await input.close();
    expect(log).toEqual(["sent 1", "sent 1", "closed"]);
    await expect(input.write("job-1", words("c"))).rejects.toMatchObject({ code: "JOB_INPUT_CLOSED" });
  });

  it("reports how much was taken of a write whose later block failed", async () => {
    const { input, waiting } = reader();
    const written = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES + 1)).catch((thrown: unknown) => thrown);
    waiting[0]?.take();
    await settle();
    const lost = new HaftError("BACKEND_UNAVAILABLE", "The line was cut.", { details: { began: "no" } });
    waiting[1]?.fail(lost);
    expect(await written).toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: 'The first 65536 bytes written to "job-1" were accepted. The rest: The line was cut.',
      details: { began: "unknown", acceptedBytes: INPUT_BLOCK_BYTES },
    });
  });

  it("reports to the next write that an earlier block failed, not its own", async () => {
    const { input, log, waiting, clock } = reader();
    const first = input.write("job-1", words("lost"), { waitMs: 10 });
    await clock.advance(10);
    await first;
    waiting[0]?.fail(new HaftError("BACKEND_UNAVAILABLE", "The line was cut.", { details: { began: "unknown" } }));
    await settle();
    await expect(input.write("job-1", words("next"))).rejects.toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringMatching(
        /^Did not write to "job-1": the last 4 bytes of the write before .* may be missing/,
      ),
      details: { began: "no", lostBytes: 4 },
    });
    expect(log).toEqual(["sent 4"]);
  });

  it("does not count a block that the end of the reader has cut, and is refused from then on", async () => {
    const { input, waiting } = reader();
    const written = input.write("job-1", new Uint8Array(INPUT_BLOCK_BYTES + 1));
    await settle();
    waiting[0]?.take();
    await settle();
    waiting[1]?.take(false);
    expect(await written).toEqual({ acceptedBytes: INPUT_BLOCK_BYTES, waitingBytes: 0, isClosed: true });
    const refused = await input.write("job-1", words("x")).catch((thrown: unknown) => thrown);
    expect(HaftError.is(refused, "JOB_INPUT_CLOSED") && refused.message).toBe(
      'Did not write to "job-1": it has ended, or its standard input is closed. Start it again to send input.',
    );
  });

  it("reports to the next write, once, a block that failed after its own write had returned", async () => {
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
    expect((await last).acceptedBytes).toBe(4);
  });
});
