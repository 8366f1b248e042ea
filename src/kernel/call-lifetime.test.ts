/** What a tool keeps of its call: nothing that still works. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, bareSession } from "../testing/fakes/bare-host.fixture.js";
import { call, faster, toolOf } from "../testing/fakes/odd-tool.fixture.js";
import { defineTool, type Session, type ToolContext, text } from "./index.js";

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
    const stuck = toolOf((_, ctx) => {
      kept = ctx;
      setTimeout(() => control.abort(), 5);
      return ctx.lock("k", {}, () => new Promise(() => {}));
    });
    const context = bareContext(host);
    const abandoned = call(stuck, context.withCancel(control.signal));
    expect(await abandoned).toMatchObject({ status: "abandoned" });
    const next = toolOf((_, ctx) => ctx.lock("k", {}, async () => text("mine")));
    expect((await call(next, context)).output).toBe("mine");
    const revoked = { code: "CALL_REVOKED" };
    await expect(kept!.lock("k", {}, async () => 1)).rejects.toMatchObject(revoked);
    await expect(kept!.artifacts.create({ what: "late" })).rejects.toMatchObject(revoked);
  });

  it("the session continues without what the tool still does", async () => {
    const readState = Object.freeze({ get: () => undefined, set: () => {}, has: () => false });
    const session: Session = { ...bareSession(), caches: new Map([["c", 1]]), symlinks: new Set(["local:/l"]) };
    const host = bareHost({ clock: { now: () => 0, timer: faster(300) } });
    let kept: ToolContext | undefined;
    let looked: Session | undefined;
    const control = new AbortController();
    const stuck = defineTool({
      name: "odd",
      description: "",
      parameters: {},
      effect: "read",
      claims(_, look) {
        looked = look.session;
        return [];
      },
      async run(_, ctx) {
        kept = ctx;
        ctx.session.setCwd("local", "/first");
        ctx.session.readState.set("local:/f", { mtimeMs: 1, size: 1, readAt: 1 });
        expect([ctx.session.symlinks.size, ctx.session.caches?.get("c"), ctx.framework.readState?.has("a")]).toEqual([
          1,
          1,
          false,
        ]);
        expect(ctx.session.symlinks.add("local:/m").add("local:/n").has("local:/m")).toBe(true);
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
      () => late.session.setCwd("local", "/late"),
      () => late.session.cwd("local"),
      () => late.session.readState.set("local:/late", { mtimeMs: 1, size: 1, readAt: 1 }),
      () => late.session.symlinks.clear(),
      () => late.session.caches?.clear(),
      () => late.framework.readState?.set("/late", { mtimeMs: 1, size: 1, readAt: 1 }),
      () => looked?.setCwd("local", "/late"),
    ];
    for (const use of uses) expect(use).toThrow(/has already ended/);
    expect(session.cwd("local")).toBe("/first");
    expect([...session.symlinks]).toEqual(["local:/l", "local:/m", "local:/n"]);
    expect((await session.todo.read()).map((item) => item.text)).toEqual(["first"]);
    expect(late.session.id).toBe(session.id);
  });
});
