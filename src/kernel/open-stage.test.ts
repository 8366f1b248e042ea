import { describe, expect, it } from "vitest";
import { bareContext, bareHost, recordingBackend } from "../testing/fakes/bare-host.fixture.js";
import { fakeClock } from "../testing/index.js";
import type { Backend } from "./backend.js";
import { defineTool } from "./define-tool.js";
import { text } from "./result.js";
import { type Target, targetOf } from "./target.js";
import { plainWriter } from "./writer-tool.fixture.js";

const call = (context: ReturnType<typeof bareContext>, input: object = { path: "a" }) =>
  plainWriter.invoke({ id: "c1", name: "writer", input }, context);
const opening = (open: Target["open"]): Target => ({ ...targetOf(recordingBackend({ name: "far" }).backend), open });

describe("the target of a call", () => {
  it("that never opens ends the call after 30 s, with the name of the target", async () => {
    const clock = fakeClock();
    const host = bareHost({ clock });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const never = () => {
      begin();
      return new Promise<Backend>(() => {});
    };
    const ending = call(bareContext(host, { target: opening(never) }));
    await begun;
    await clock.advance(30_000);
    expect(await ending).toMatchObject({ status: "timed-out", code: "CALL_TIMEOUT" });
    expect((await ending).output).toContain('the target "far" did not open within 30000 ms');
    expect(host.entries).toMatchObject([
      { begin: { backend: "far", workspace: "/ws" }, ends: [{ status: "timed-out" }] },
    ]);
  });

  it("that throws or rejects fails the call, with the cause", async () => {
    const fail = () => {
      throw new Error("no route");
    };
    for (const open of [fail, async () => fail()]) {
      const outcome = await call(bareContext(bareHost(), { target: opening(open) }));
      expect(outcome).toMatchObject({ status: "failed", code: "BACKEND_UNAVAILABLE" });
      expect(outcome.output).toContain(
        'the target "far" could not be opened: no route. The next call on it tries again.',
      );
    }
  });

  it("that opens as no backend, or rejects with an object, fails the call with what there is to say", async () => {
    const nothing = "its `open` returned no backend";
    const cases: readonly (readonly [() => unknown, string])[] = [
      [() => undefined, nothing],
      [async () => undefined, nothing],
      [() => ({ name: "far", bind: true }), nothing],
      [() => Promise.reject({ weird: true }), '{"weird":true}'],
      [() => Promise.reject({ message: "no route" }), "no route"],
    ];
    for (const [open, why] of cases) {
      const outcome = await call(bareContext(bareHost(), { target: opening(open as Target["open"]) }));
      expect(outcome).toMatchObject({ status: "failed", code: "BACKEND_UNAVAILABLE" });
      expect(outcome.output).toContain(
        `the target "far" could not be opened: ${why}. The next call on it tries again.`,
      );
    }
  });

  it("that cannot be opened does not fail a tool that claims nothing; its ports are refused", async () => {
    const refused = opening(async () => {
      throw new Error("no route");
    });
    const claimless = (run: Parameters<typeof defineTool>[0]["run"]) =>
      defineTool({ name: "claimless", description: "", parameters: {}, run }).invoke(
        { id: "c1", name: "claimless", input: {} },
        bareContext(bareHost(), { target: refused }),
      );
    expect(await claimless(async (_, ctx) => text(String((await ctx.session.todo.read()).length)))).toMatchObject({
      status: "ok",
      output: "0",
    });
    expect(await claimless(async (_, ctx) => text(await ctx.fs.readText("/a")))).toMatchObject({
      status: "failed",
      code: "CALL_UNCLAIMED",
      output: expect.stringContaining('Did not use the target "far": the call did not claim anything on it.'),
    });
  });

  it("that never opens is not waited for by a tool that claims nothing, which knows of it what its string says", async () => {
    const target = { ...opening(() => new Promise<Backend>(() => {})), home: "/home/far" };
    const tool = defineTool({
      name: "claimless",
      description: "",
      parameters: {},
      run: async (_, { home, cwd, workspace, resolve, backend }) =>
        text([home, cwd, workspace, resolve("~/a"), resolve("b"), backend.name].join(" ")),
    });
    const clock = fakeClock();
    const outcome = await tool.invoke(
      { id: "c1", name: "claimless", input: {} },
      bareContext(bareHost({ clock }), { target }),
    );
    expect(outcome).toMatchObject({ status: "ok", output: "/home/far /ws /ws /home/far/a /ws/b far" });
  });

  it("is not waited for once the call is cancelled", async () => {
    const stop = new AbortController();
    const context = bareContext(bareHost(), { target: opening(() => new Promise<Backend>(() => {})) });
    const ending = call(context.withCancel(stop.signal));
    stop.abort();
    expect((await ending).status).toBe("cancelled");
  });

  it("is opened neither by the context nor by a call that is refused before it, and by the first use of a port", async () => {
    let opened = 0;
    const { backend, files } = recordingBackend({ name: "far" });
    const target = opening(async () => {
      opened += 1;
      return backend;
    });
    const context = bareContext(bareHost(), { target });
    expect([context.cwd, context.workspace]).toEqual(["/ws", "/ws"]);
    await call(context, { path: 7, other: 1 });
    expect(opened).toBe(0);
    files.set("/ws/a", "text");
    expect(await context.fs.readText("/ws/a")).toBe("text");
    expect(opened).toBe(1);
  });
});
