import { expect, it } from "vitest";
import type { BoundCall } from "./backend.js";
import { boundHandle } from "./bound-handle.js";
import { EMPTY_GRANT } from "./claims.js";
import type { InputOptions, ShellHandle } from "./shell.js";

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
