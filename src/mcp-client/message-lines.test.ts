import { describe, expect, it } from "vitest";
import { MessageLines } from "./message-lines.js";

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const answer = (id: number) => ({ jsonrpc: "2.0", id, result: {} });

describe("lines of messages", () => {
  it("joins what comes in pieces, cut anywhere, and passes over what is no message", () => {
    const bytes = Buffer.from(`Welcome\n${line(answer(1))}{"a":1}\n\n${line({ ...answer(2), result: { t: "ä€" } })}`);
    for (const size of [1, 3, 7, bytes.length]) {
      const lines = new MessageLines();
      const found: unknown[] = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...lines.take(bytes.subarray(at, at + size)));
      expect(found).toEqual([answer(1), { ...answer(2), result: { t: "ä€" } }]);
    }
  });

  it("ignores notifications without a listener", () => {
    const message = { jsonrpc: "2.0", method: "notifications/message", params: {} };
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    expect([...new MessageLines().take(Buffer.from(line(message) + line(changed)))]).toEqual([changed]);
  });

  it.each([null, "text", 7, []])("makes an error of an answer whose result is %j", (result) => {
    const [message] = new MessageLines().take(Buffer.from(line({ jsonrpc: "2.0", id: 3, result })));
    expect(message).toMatchObject({ id: 3, error: { message: "its response has no result" } });
  });

  it("stops at an endless line, at text that is not JSON and at a flood", () => {
    const feed = (text: string, times: number) => () => {
      const lines = new MessageLines();
      for (let count = 0; count < times; count++) for (const _ of lines.take(Buffer.from(text)));
    };
    expect(feed("x".repeat(1024 * 1024), 18)).toThrow(/more than 16 MiB/);
    expect(feed("no message at all\n".repeat(1000), 100)).toThrow(/not MCP/);
    expect(feed(line({ jsonrpc: "2.0", method: "ping", id: 1 }).repeat(3000), 1)).toThrow(/more than 2000 messages/);
    expect(feed(line(answer(1)), 5000)).not.toThrow();
  });
});
