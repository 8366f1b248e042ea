import { expect, it } from "vitest";
import type { BoundCall } from "./backend.js";
import { boundHandle } from "./bound-handle.js";
import { EMPTY_GRANT } from "./claims.js";
import type { InputOptions, ShellHandle } from "./shell.js";

/** A job that accepts at most `most` bytes of a write, and a handle of a call that may write `input` to it. */
function writing(input: string, most: number, fail = false) {
  let received = "";
  const handle = {
    id: "job-1",
    async write(bytes: Uint8Array) {
      await new Promise((resolve) => setImmediate(resolve));
      if (fail) throw new Error("the connection was lost");
      const acceptedBytes = Math.min(most, bytes.length);
      received += new TextDecoder().decode(bytes.subarray(0, acceptedBytes));
      return { acceptedBytes, waitingBytes: 0, isClosed: false };
    },
  } as unknown as ShellHandle;
  const grant = { ...EMPTY_GRANT, jobs: [{ id: "job-1", actions: ["write"], input }] } as const;
  const call = { id: "c1", signal: new AbortController().signal } as BoundCall;
  const open = () => boundHandle(handle, { grant, call }, "attach");
  const job = open();
  return {
    open,
    write: (text: string, by = job) => by.write(new TextEncoder().encode(text)),
    received: () => received,
  };
}

it("continues after the bytes that were accepted, also for writes at the same time and through another handle", async () => {
  const { write, received, open } = writing("abcdef", 2);
  const both = await Promise.allSettled([write("abcd"), write("cd")]);
  expect(both.map((one) => one.status)).toEqual(["fulfilled", "fulfilled"]);
  await expect(write("abcdef", open())).rejects.toMatchObject({ code: "CALL_UNCLAIMED" });
  await write("ef", open());
  await expect(write("x")).rejects.toMatchObject({ code: "CALL_UNCLAIMED" });
  expect(received()).toBe("abcdef");
});

it("writes no part again of which it is not known whether it arrived", async () => {
  const { write } = writing("abab", 9, true);
  await expect(write("ab")).rejects.toThrow("the connection was lost");
  await write("").catch(() => {});
  await expect(write("abab")).rejects.toMatchObject({ code: "CALL_UNCLAIMED" });
});

it("ends the wait of a write with its call, and with the signal that the write has of its own", async () => {
  const seen: (InputOptions | undefined)[] = [];
  const handle = {
    id: "job-1",
    async write(_bytes: Uint8Array, options?: InputOptions) {
      seen.push(options);
      return { acceptedBytes: 0, waitingBytes: 0, isClosed: false };
    },
  } as unknown as ShellHandle;
  const [call, own] = [new AbortController(), new AbortController()];
  const bound = boundHandle(
    handle,
    {
      grant: { ...EMPTY_GRANT, jobs: [{ id: "job-1", actions: ["write"] }] },
      call: { id: "c1", signal: call.signal } as BoundCall,
    },
    "attach",
  );
  for (const options of [undefined, { waitMs: 5 }, { signal: own.signal }])
    await bound.write(new Uint8Array(), options);
  expect(seen.map((options) => [options?.waitMs, options?.signal?.aborted])).toEqual([
    [undefined, false],
    [5, false],
    [undefined, false],
  ]);
  own.abort();
  expect(seen.map((options) => options?.signal?.aborted)).toEqual([false, false, true]);
  call.abort();
  expect(seen.map((options) => options?.signal?.aborted)).toEqual([true, true, true]);
});
