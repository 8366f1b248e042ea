/** Two calls of one turn that are asked about at the same time, and one user. */
import { describe, expect, it, vi } from "vitest";
import { bareContext, bareHost, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { type Approval, type Approver, createToolBox, defineTool, type Io, oneAtATime, text } from "./index.js";

const asking = policyOf(() => ({ effect: "ask" }));

/** A terminal where a typed line answers every question that is open, as with two readline interfaces. */
function terminal() {
  const shown: string[] = [];
  const open = new Set<(line: string) => void>();
  const approver: Approver = {
    ask: ({ call }, { signal }) =>
      new Promise((resolve, reject) => {
        shown.push(call.tool);
        const answered = (line: string) => {
          open.delete(answered);
          resolve(line === "y" ? { by: "ada", scope: "once" } : { denied: "no" });
        };
        open.add(answered);
        signal?.addEventListener("abort", () => {
          open.delete(answered);
          reject(new Error("aborted"));
        });
      }),
  };
  const type = (line: string) => {
    for (const answered of [...open]) answered(line);
  };
  return { approver, shown, type };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const request = (tool: string) => ({ call: { tool } }) as Parameters<Approver["ask"]>[0];

describe("oneAtATime", () => {
  it("runs exactly one of two calls of a turn for the answers y and n", async () => {
    const { approver, shown, type } = terminal();
    const ran: string[] = [];
    const tool = (name: string) =>
      defineTool({
        ...{ name, description: "", parameters: {}, effect: "write", claims: () => [] },
        run: async () => {
          ran.push(name);
          return text("");
        },
      });
    let asked = 0;
    const queued = oneAtATime(approver);
    const counting: Approver = {
      ask(one, io) {
        asked++;
        return queued.ask(one, io);
      },
    };
    const context = bareContext(bareHost({ policy: asking, approver: counting }));
    const { runner } = createToolBox([tool("first"), tool("second")], () => context);
    const outcomes = Promise.all(["first", "second"].map((name) => runner.run({ id: name, name, input: {} })));
    await vi.waitFor(() => expect(asked).toBe(2));
    await settled();
    expect(shown).toEqual(["first"]);
    type("y");
    await vi.waitFor(() => expect(shown).toEqual(["first", "second"]));
    type("n");
    expect((await outcomes).map(({ status }) => status)).toEqual(["ok", "denied"]);
    expect(ran).toEqual(["first"]);
  });

  it("continues after a question that fails, and after one whose call has ended", async () => {
    const { approver, shown, type } = terminal();
    const failing: Approver = {
      ask: (one, io) => (one.call.tool === "bad" ? Promise.reject(new Error("no screen")) : approver.ask(one, io)),
    };
    const { ask } = oneAtATime(failing);
    const bad = ask(request("bad"), {});
    await expect(bad).rejects.toThrow("no screen");
    const [late, next, after] = [new AbortController(), new AbortController(), new AbortController()];
    const answers = [late, next, after].map(({ signal }, index) => ask(request(`q${index}`), { signal }));
    const results = Promise.allSettled(answers);
    await settled();
    next.abort(); // before its turn
    await settled();
    expect(shown).toEqual(["q0"]);
    late.abort(); // while it is shown
    await settled();
    expect(shown).toEqual(["q0", "q2"]);
    type("y");
    expect((await results).map((one) => (one.status === "fulfilled" ? one.value : "rejected"))).toEqual([
      "rejected",
      { denied: "The call ended before its question was shown." },
      { by: "ada", scope: "once" },
    ]);
  });

  it("hands on what the approver gets and answers", async () => {
    const seen: Io[] = [];
    const pending: Approver = {
      ask: async (_, io): Promise<Approval> => {
        seen.push(io);
        return { pending: true };
      },
      pendingHint: (token) => `Decide on ${token}.`,
    };
    const queued = oneAtATime(pending);
    expect(await queued.ask(request("a"), { timeoutMs: 5 })).toEqual({ pending: true });
    expect(seen).toEqual([{ timeoutMs: 5 }]);
    expect(queued.pendingHint?.("t1")).toBe("Decide on t1.");
    expect(oneAtATime({ ask: pending.ask }).pendingHint?.("t1")).toBeUndefined();
  });
});
