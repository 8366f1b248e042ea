/** What a tool keeps of its call: nothing that still works. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost } from "../../test/support/bare-host.js";
import {
  type DefinedTool,
  defineTool,
  type HostContext,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  text,
} from "./index.js";

const toolOf = (run: (input: unknown, ctx: ToolContext) => unknown): DefinedTool =>
  defineTool({ name: "odd", description: "", parameters: {}, run: run as () => ToolResult<never> });
const call = (tool: DefinedTool, context: HostContext = bareContext(), more: Partial<ToolCall> = {}) =>
  tool.invoke({ id: "c1", name: tool.name, input: {}, ...more }, context);

/** Real timers, so many times as fast. */
const faster = (times: number) => (ms: number, done: () => void) => {
  const timer = setTimeout(done, ms / times);
  return () => clearTimeout(timer);
};

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
    expect(() => kept!.stores.open("late")).toThrow(/has already ended/);
  });
});
