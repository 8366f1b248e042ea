import { beforeEach, describe, expect, it } from "vitest";
import { type Claim, defineTool, text } from "../kernel/index.js";
import { bareContext, bareHost, bareSession, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { type SlidingWindowOptions, slidingWindowRate } from "./rate-limit.js";

const MINUTE = 60_000;
let nowMs: number;
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
});

const limit = (options: Partial<SlidingWindowOptions> = {}) => slidingWindowRate({ now: () => nowMs, ...options });
type Limit = ReturnType<typeof limit>;

const reserve = (rate: Limit, sessionId = "s") => rate.reserve({ tool: "write", sessionId, effect: "write" });

function settled(rate: Limit, succeeded: boolean, sessionId = "s"): boolean {
  const slot = reserve(rate, sessionId);
  if (slot.allowed) slot.settle(succeeded);
  return slot.allowed;
}

const reasonOf = (rate: Limit) => {
  const slot = reserve(rate);
  return slot.allowed ? "" : slot.reason;
};

describe("a sliding window", () => {
  verifies("ZC-094", "allows twenty actions an hour, and each again once its hour is over", () => {
    const rate = limit();
    for (let action = 0; action < 20; action++) {
      expect(settled(rate, true)).toBe(true);
      nowMs += MINUTE;
    }
    expect(reasonOf(rate)).toBe(
      "the rate limit is reached: 20 of 20 actions (calls of tools that can change something) are used in 60 minutes. The next is possible in 40 minutes. Tools that only read are not limited.",
    );
    nowMs += 40 * MINUTE - 1;
    expect(settled(rate, true)).toBe(false);
    nowMs += 1;
    expect([settled(rate, true), settled(rate, true)]).toEqual([true, false]);
  });

  verifies("ZC-094", "allows nothing where a limit is 0", () => {
    expect(reasonOf(limit({ actions: 0 }))).toBe(
      "the rate limit allows no actions (calls of tools that can change something). Tools that only read are not limited.",
    );
    expect(settled(limit({ attempts: 0 }), true)).toBe(false);
  });

  verifies("ZC-094", "takes a slot when a call begins, so that parallel calls cannot exceed it together", () => {
    const rate = limit({ actions: 2 });
    const [first, second] = [reserve(rate), reserve(rate)];
    expect(reasonOf(rate)).toContain("The next is possible in 60 minutes, or when a running one fails (2 running).");
    if (first.allowed) first.settle(false);
    if (second.allowed) second.settle(true);
    expect([settled(rate, true), settled(rate, true)]).toEqual([true, false]);
  });

  it("returns the action of a failed call, which stays an attempt: probing is limited too", () => {
    const rate = limit({ actions: 2, attempts: 5 });
    expect(Array.from({ length: 6 }, () => settled(rate, false))).toEqual([true, true, true, true, true, false]);
    expect(reasonOf(rate)).toContain("5 of 5 attempts (such calls, failed ones included) are used in 60 minutes");
    nowMs += 60 * MINUTE;
    expect(settled(rate, true)).toBe(true);
  });

  it("counts a call once, however often it is settled", () => {
    const rate = limit({ actions: 1 });
    const slot = reserve(rate);
    if (slot.allowed) for (const succeeded of [true, false, false]) slot.settle(succeeded);
    expect(settled(rate, true)).toBe(false);
  });

  it("counts each session by itself, and removes those that have done nothing lately", () => {
    const rate = limit({ actions: 1 });
    for (let session = 0; session < 1_500; session++) expect(settled(rate, true, `s${session}`)).toBe(true);
    expect(settled(rate, true, "s7")).toBe(false);
    nowMs += 60 * MINUTE;
    expect(settled(rate, true, "s7")).toBe(true);
  });

  it.each([{ actions: -1 }, { attempts: 1.5 }, { windowMs: Number.NaN }, { actions: "20" as unknown as number }])(
    "is refused with %j",
    (options) => {
      expect(() => limit(options)).toThrow("must be a whole number of 0 or more");
    },
  );
});

describe("a limited session", () => {
  const tool = (effect: "read" | "write", run = () => text("done")) =>
    defineTool({
      name: effect,
      description: "",
      parameters: {},
      effect,
      claims: (): readonly Claim[] => [{ kind: "file", path: "/ws/a", access: ["read"], scope: "self" }],
      run,
    });

  verifies("ZC-093", "reads without a limit, and acts while an action is free", async () => {
    const context = bareContext(bareHost({ rate: limit({ actions: 1 }) }), { session: bareSession() });
    const call = (name: "read" | "write") => tool(name).invoke({ id: "c", name, input: {} }, context);
    const statuses = [await call("write"), await call("write"), await call("read"), await call("read")];
    expect(statuses.map(({ status }) => status)).toEqual(["ok", "denied", "ok", "ok"]);
    expect(statuses[1]).toMatchObject({
      code: "POLICY_RATE_LIMITED",
      output: expect.stringContaining("Did not run `write`: the rate limit is reached: 1 of 1 actions"),
    });
  });

  it("does not ask the user about a call over the limit, and a refusal of the user is an attempt", async () => {
    let asked = 0;
    const approver = {
      async ask() {
        asked++;
        return { denied: "No." };
      },
    };
    const host = bareHost({ policy: policyOf(() => ({ effect: "ask" })), approver, rate: limit({ attempts: 2 }) });
    const context = bareContext(host, { session: bareSession() });
    const codes: unknown[] = [];
    for (let turn = 0; turn < 3; turn++)
      codes.push((await tool("write").invoke({ id: "c", name: "write", input: {} }, context)).code);
    expect([asked, codes]).toEqual([2, ["POLICY_DENIED", "POLICY_DENIED", "POLICY_RATE_LIMITED"]]);
  });
});
