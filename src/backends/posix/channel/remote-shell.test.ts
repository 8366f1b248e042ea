import { afterEach, expect, it, vi } from "vitest";
import { createPosixBackend } from "../index.js";
import type { Channel } from "./channel.js";

afterEach(() => void vi.useRealTimers());

it("connecting and the answer of the shell have one limit together", async () => {
  vi.useFakeTimers();
  const silent: Channel = { write() {}, onBytes() {}, onEnd() {}, end() {}, destroy: vi.fn() };
  const open = () => new Promise<Channel>((resolve) => setTimeout(resolve, 8_000, silent));
  let failed: unknown;
  createPosixBackend({ name: "slow", open, connectTimeoutMs: 9_000 }).catch((thrown: unknown) => {
    failed = thrown;
  });
  await vi.advanceTimersByTimeAsync(8_900);
  expect(failed).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(failed).toMatchObject({ code: "BACKEND_UNAVAILABLE", details: { why: "it did not answer within 9000 ms" } });
  expect(silent.destroy).toHaveBeenCalled();
});
