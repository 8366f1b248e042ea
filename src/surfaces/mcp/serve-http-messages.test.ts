import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INITIALIZE, send, type TestService, testService } from "./http-service.fixture.js";

let test: TestService;
let session: string;
beforeEach(async () => {
  test = await testService();
  const opened = await send(test.service.url, { body: INITIALIZE });
  session = opened.headers["mcp-session-id"] as string;
});
afterEach(() => test.close());

const post = (body: string | Buffer) =>
  send(test.service.url, { body, headers: { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" } });
const call = (id: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "greet", arguments: {} } });

describe("a message over HTTP", () => {
  it("that is none is answered with an error of JSON-RPC, and the session stays", async () => {
    for (const [body, id, code] of [
      ["", null, -32_700],
      ["{", null, -32_700],
      ["\u0000", null, -32_700],
      [Buffer.from(call("\u00ff"), "latin1"), null, -32_700],
      ["[]", null, -32_600],
      ["null", null, -32_600],
      ["{}", null, -32_600],
      [call(null), null, -32_600],
      [call({}), null, -32_600],
      [call(1.5), 1.5, -32_600],
    ] as const) {
      const { status, body: answer } = await post(body);
      expect([body, status, JSON.parse(answer)]).toEqual([
        body,
        400,
        { jsonrpc: "2.0", id, error: { code, message: expect.any(String) } },
      ]);
    }
    expect((await post(call(2))).body).toContain("Hello");
  });

  it("whose id another request still has is refused; that one is answered, and the id is free again", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    test.answer = async () => {
      await held;
      return { content: [{ kind: "text", text: "first" }] };
    };
    const first = post(call(2));
    await expect.poll(() => test.seen.length).toBe(1);
    const second = await post(call(2));
    expect([second.status, JSON.parse(second.body)]).toMatchObject([400, { id: 2, error: { code: -32_600 } }]);
    release();
    expect((await first).body).toContain("first");
    expect((await post(call(2))).body).toContain("first");
    expect(test.seen).toHaveLength(2);
  });

  it("may come from a client that accepts anything, or says nothing of it", async () => {
    const statusOf = async (accept: string | undefined) =>
      (await send(test.service.url, { body: INITIALIZE, headers: { accept } })).status;
    for (const accept of [undefined, "*/*", "text/html, */*;q=0.8"])
      expect([accept, await statusOf(accept)]).toEqual([accept, 200]);
    expect(await statusOf("text/html")).toBe(406);
  });
});
