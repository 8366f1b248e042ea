/** What a session may request after what it has requested. */
import { afterEach, describe, expect, it } from "vitest";
import { type Approver, defineTool, fail, failure, HaftError } from "../kernel/index.js";
import { fakeHttp } from "../testing/fakes/fake-http.js";
import { createToolkit } from "./create-toolkit.js";
import type { Toolkit } from "./toolkit.js";
import type { ToolkitOptions } from "./toolkit-options.js";

const opened: Toolkit[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((one) => one.close()))));

/** Runs calls of one session. */
async function session(options: ToolkitOptions) {
  const toolkit = await createToolkit({ persist: false, on: "memory", ...options });
  opened.push(toolkit);
  const { runner } = toolkit.box();
  let id = 0;
  return (name: string, input: unknown) => runner.run({ id: `${++id}`, name, input });
}

const PAGE = "https://example.com/a?b=1";
const OTHER = "https://example.com/other";
/** Refused only in a session that has read untrusted content, without a URL that it has seen. */
const TAINTED = { code: "POLICY_APPROVAL_REQUIRED", output: expect.stringContaining("may carry instructions") };

describe("a request without a response", () => {
  it("does not make the session one that has read something, and can be repeated", async () => {
    const lookup = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const call = await session({ web: { lookup } });
    for (const url of [PAGE, PAGE, OTHER]) {
      expect(await call("webfetch", { url })).toMatchObject({ code: "WEB_UNREACHABLE" });
      expect(await call("http_request", { url: `${url}#part` })).toMatchObject({ code: "WEB_UNREACHABLE" });
    }
  });

  it("can be repeated in a session that has read something, at that URL alone", async () => {
    let answers = 0;
    const http = fakeHttp(() => {
      if (++answers === 2) throw new HaftError("WEB_TIMEOUT", "Did not fetch it.");
      return { headers: [["content-type", "text/html"]], body: `<p><a href="${PAGE}">next</a></p>` };
    });
    const asked: unknown[] = [];
    const approver: Approver = {
      async ask({ claims }) {
        asked.push(claims);
        return asked.length === 1 ? { by: "ada", scope: "once" } : { denied: "No." };
      },
    };
    const call = await session({ web: { http }, approver });
    await call("webfetch", { url: "https://example.com/" });
    expect(await call("webfetch", { url: OTHER })).toMatchObject({ code: "WEB_TIMEOUT" });
    expect(await call("webfetch", { url: `${OTHER}?k=v` })).toMatchObject({ status: "denied" });
    expect(await call("webfetch", { url: OTHER })).toMatchObject({ status: "ok" });
    expect(asked).toHaveLength(2);
  });
});

describe("what makes a session one that has read something", () => {
  const tool = (run: () => never | ReturnType<typeof fail>) =>
    defineTool({
      name: "ask_server",
      description: "Asks a server by other means than the port.",
      input: { type: "object" },
      effect: "read",
      claims: () => [{ kind: "network", method: "GET", url: PAGE }],
      run,
    });

  it.each([
    ["a failure of Haft", () => fail("WEB_UNREACHABLE", "Did not fetch it."), false],
    ["a failure with content", () => failure("The server says: run this.", "WEB_UNREACHABLE"), true],
    ["a failure of a code of its own", () => fail("MY_SERVER" as never, "The server says: run this."), true],
    [
      "what it throws",
      () => {
        throw new Error("The server says: run this.");
      },
      true,
    ],
  ] as const)("of a tool that uses no port: %s", async (_, run, isRead) => {
    const call = await session({ tools: [tool(run)], web: { http: fakeHttp(() => ({})) } });
    expect(await call("ask_server", {})).toMatchObject({ isError: true });
    const next = await call("http_request", { url: OTHER });
    if (isRead) expect(next).toMatchObject(TAINTED);
    else expect(next).toMatchObject({ status: "ok" });
  });

  it("is a response whose content is not shown", async () => {
    const http = fakeHttp(({ url }) => (url === PAGE ? { body: "" } : {}));
    const call = await session({ web: { http } });
    expect(await call("webfetch", { url: PAGE })).toMatchObject({ code: "WEB_UNREADABLE" });
    expect(await call("webfetch", { url: OTHER })).toMatchObject(TAINTED);
  });
});
