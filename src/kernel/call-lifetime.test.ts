/** What a tool keeps of its call: nothing that still works. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, bareSession } from "../testing/fakes/bare-host.fixture.js";
import { call, faster } from "../testing/fakes/odd-tool.fixture.js";
import { defineTool, type Session, type SessionView, type ToolContext, type ToolResult, text } from "./index.js";

describe("after the end", () => {
  it("nothing is left of what the call reached, and a lock that it held is free", async () => {
    let held: Promise<void> = Promise.resolve();
    const locks = {
      hold<T>(_key: string, _io: unknown, body: () => Promise<T>): Promise<T> {
        const turn = held.then(body);
        held = turn.then(
          () => {},
          () => {},
        );
        return turn;
      },
    };
    const clock = { now: () => 0, timer: faster(300) };
    const host = bareHost({ locks, clock });
    let kept: ToolContext | undefined;
    const control = new AbortController();
    const locking = (run: (ctx: ToolContext) => Promise<ToolResult<never>>) =>
      defineTool({
        name: "odd",
        description: "",
        parameters: {},
        effect: "read",
        claims: () => [{ kind: "file", path: "/ws/k", access: ["read"], scope: "self" }],
        run: (_, ctx) => run(ctx),
      });
    const stuck = locking((ctx) => {
      kept = ctx;
      setTimeout(() => control.abort(), 5);
      return ctx.lock("/ws/k", {}, () => new Promise(() => {}));
    });
    const context = bareContext(host);
    const abandoned = call(stuck, context.withCancel(control.signal));
    expect(await abandoned).toMatchObject({ status: "abandoned" });
    const next = locking((ctx) => ctx.lock("/ws/k", {}, async () => text("mine")));
    expect((await call(next, context)).output).toBe("mine");
    const revoked = { code: "CALL_REVOKED" };
    await expect(kept!.lock("/ws/k", {}, async () => 1)).rejects.toMatchObject(revoked);
    await expect(kept!.artifacts.create({ what: "late" })).rejects.toMatchObject(revoked);
  });

  it("the session continues without what the tool still does", async () => {
    const readState = Object.freeze({ get: () => undefined, set: () => {}, has: () => false });
    const session: Session = bareSession();
    const host = bareHost({ clock: { now: () => 0, timer: faster(300) } });
    let kept: ToolContext | undefined;
    let looked: SessionView | undefined;
    const control = new AbortController();
    const stuck = defineTool({
      name: "odd",
      description: "",
      parameters: {},
      effect: "read",
      claims(_, look) {
        looked = look.session;
        return [
          { kind: "command", command: "cd", cwd: "/first" },
          { kind: "file", path: "/f", access: ["read"], scope: "self" },
        ];
      },
      async run(_, ctx) {
        kept = ctx;
        ctx.session.setCwd("/first");
        ctx.session.readState.set("/f", { mtimeMs: 1, size: 1, readAt: 1 });
        ctx.session.cache.set("c", 1);
        expect([ctx.session.cache.get("c"), ctx.framework.readState?.has("a")]).toEqual([1, false]);
        await ctx.session.todo.replace([{ id: "1", text: "first", status: "pending" }]);
        control.abort();
        return new Promise<never>(() => {});
      },
    });
    const context = bareContext(host, { session, framework: { readState } });
    expect(await call(stuck, context.withCancel(control.signal))).toMatchObject({ status: "abandoned" });
    const late = kept!;
    const revoked = { code: "CALL_REVOKED" };
    await expect(late.session.todo.replace([])).rejects.toMatchObject(revoked);
    await expect(late.session.todo.read()).rejects.toMatchObject(revoked);
    await expect(late.session.artifacts.create({ what: "late" })).rejects.toMatchObject(revoked);
    const uses: (() => unknown)[] = [
      () => late.session.setCwd("/late"),
      () => late.session.cwd("recording"),
      () => late.session.readState.set("/f", { mtimeMs: 2, size: 1, readAt: 1 }),
      () => late.session.outputsSeen.set("job-1", { stdout: 1, stderr: 0 }),
      () => late.session.cache.set("c", 2),
      () => late.framework.readState?.set("/f", { mtimeMs: 2, size: 1, readAt: 1 }),
      () => looked?.cwd("recording"),
    ];
    for (const use of uses) expect(use).toThrow(/has already ended/);
    expect(session.cwd("recording")).toBe("/first");
    expect(session.readState.get("recording:/f")?.mtimeMs).toBe(1);
    expect((await session.todo.read()).map((item) => item.text)).toEqual(["first"]);
    expect(late.session.id).toBe(session.id);
  });
});
