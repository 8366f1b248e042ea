import { expectEqual, expectError, expectThat } from "../expect.js";
import type { Suite } from "../plan.js";
import { approvalOf, onState, type StateFixture } from "./state-fixture.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const call = approvalOf("t").call;
const scopes = { session: "s1", project: "local:/ws" };

/** What every store guarantees about approvals, and what becomes of a state that is closed. */
export const stateApprovals: Suite<StateFixture> = [
  onState("approvals:add", "A stored request is found by its token, by each connection", async (state, other) => {
    const one = approvalOf("t");
    await state.approvals.add(one);
    const found = await other.approvals.get("t");
    expectEqual([found?.request, found?.call, found?.decision], [one.request, one.call, undefined], "the request");
    expectEqual(await other.approvals.get("none"), undefined, "an unknown token");
    await expectError(() => other.approvals.add(approvalOf("t")), "STORE_CONFLICT", "a token that is in use");
  }),
  onState("approvals:add:session-limit", "One session stores at most 50 requests", async (state, other, fixture) => {
    for (let index = 0; index < 50; index++) await state.approvals.add(approvalOf(`t${index}`));
    await expectError(() => other.approvals.add(approvalOf("more")), "STORE_CONFLICT", "one more");
    await other.approvals.add(approvalOf("other", { session: "s2" }));
    await state.approvals.decide("t0", { granted: "ada" });
    await state.approvals.take("t0", call);
    await other.approvals.add(approvalOf("more"));
    await expectError(() => state.approvals.add(approvalOf("again")), "STORE_CONFLICT", "one more again");
    fixture.advance(7 * DAY_MS + 1);
    await state.approvals.add(approvalOf("again"));
    expectEqual((await other.approvals.list()).length, 1, "stored requests, once the others have expired");
  }),
  onState(
    "approvals:list",
    "Requests are listed oldest first, by session and by whether they are pending",
    async (state, other, fixture) => {
      for (const [token, session] of [
        ["c", "s1"],
        ["a", "s2"],
        ["b", "s1"],
      ] as const) {
        await state.approvals.add(approvalOf(token, { session }));
        fixture.advance(1_000);
      }
      await other.approvals.decide("c", { granted: "ada" });
      const tokens = async (filter?: Parameters<typeof state.approvals.list>[0]) =>
        (await state.approvals.list(filter)).map(({ request }) => request.token);
      expectEqual(await tokens(), ["c", "a", "b"], "all");
      expectEqual(await tokens({ session: "s1" }), ["c", "b"], "of one session");
      expectEqual(await tokens({ pending: true }), ["a", "b"], "pending");
      expectEqual(await tokens({ session: "s1", pending: false }), ["c"], "decided");
    },
  ),
  onState(
    "approvals:decide",
    "A pending request can be granted or denied, a granted one denied; a denial stands",
    async (state, other) => {
      for (const token of ["g", "d"]) await state.approvals.add(approvalOf(token));
      expectEqual(await other.approvals.decide("g", { granted: "ada" }), true, "a grant");
      expectEqual(await state.approvals.decide("g", { granted: "bob" }), false, "a second grant");
      expectEqual((await state.approvals.get("g"))?.decision, { granted: "ada" }, "the decision");
      expectEqual(await state.approvals.decide("g", { denied: "Not today." }), true, "a denial of what was granted");
      expectEqual(await other.approvals.decide("d", { denied: "No." }), true, "a denial");
      for (const token of ["g", "d", "none"])
        expectEqual(await state.approvals.decide(token, { granted: "ada" }), false, "a grant of what is not pending");
      const neither = {} as { readonly granted: string };
      await expectError(() => state.approvals.decide("g", neither), "STORE_INVALID", "a decision without a text");
    },
  ),
  onState("approvals:take:once", "A granted request is taken once, and is then unknown", async (state, other) => {
    await state.approvals.add(approvalOf("t"));
    expectEqual((await state.approvals.take("t", call)).state, "pending", "before the decision");
    await other.approvals.decide("t", { granted: "ada" });
    expectEqual(await state.approvals.take("t", call), { state: "granted", by: "ada" }, "the first");
    expectEqual(await other.approvals.take("t", call), { state: "unknown" }, "the second");
    expectEqual(await other.approvals.get("t"), undefined, "the request");
  }),
  onState(
    "approvals:take:scope",
    "A grant for a session or a project says so when it is taken",
    async (state, other) => {
      for (const scope of ["session", "project"] as const) {
        await state.approvals.add(approvalOf(scope));
        expectEqual(await other.approvals.decide(scope, { granted: "ada", scope }), true, "a grant");
        expectEqual((await state.approvals.get(scope))?.decision, { granted: "ada", scope }, "the decision");
        expectEqual(await state.approvals.take(scope, call), { state: "granted", by: "ada", scope }, "the take");
      }
      await state.approvals.add(approvalOf("t"));
      const unknown = { granted: "ada", scope: "forever" } as unknown as { readonly granted: string };
      await expectError(() => state.approvals.decide("t", unknown), "STORE_INVALID", "an unknown scope");
      expectEqual((await state.approvals.take("t", call)).state, "pending", "the request after it");
    },
  ),
  onState("approvals:take:at-once", "Of many takes at the same time exactly one gets it", async (state, other) => {
    await state.approvals.add(approvalOf("t"));
    await state.approvals.decide("t", { granted: "ada" });
    const takes = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? state : other).approvals.take("t", call));
    const states = (await Promise.all(takes)).map((taken) => taken.state);
    expectEqual(states.filter((one) => one === "granted").length, 1, "granted");
    expectEqual(states.filter((one) => one === "unknown").length, 19, "unknown");
  }),
  onState("approvals:take:bound", "A call that differs in anything leaves the request as it is", async (state) => {
    await state.approvals.add(approvalOf("t"));
    await state.approvals.decide("t", { granted: "ada" });
    for (const other of [{ tool: "delete" }, { session: "s2" }, { digest: "d2" }])
      expectEqual(await state.approvals.take("t", { ...call, ...other }), { state: "different-call" }, "take");
    expectEqual(await state.approvals.take("t", { ...call, touches: "t2" }), { state: "different-place" }, "take");
    expectEqual((await state.approvals.take("t", call)).state, "granted", "the approved call");
  }),
  onState("approvals:take:odd-tokens", "A token that no request can have is unknown", async (state) => {
    for (const token of ["", "a\0b", "\ud800", "t".repeat(1_025), "__proto__"]) {
      expectEqual(await state.approvals.take(token, call), { state: "unknown" }, "take");
      expectEqual(await state.approvals.get(token), undefined, "get");
      expectEqual(await state.approvals.decide(token, { granted: "ada" }), false, "decide");
    }
  }),
  onState("approvals:take:denied", "A denied request says why, once", async (state) => {
    await state.approvals.add(approvalOf("t"));
    await state.approvals.decide("t", { denied: "Not today." });
    expectEqual(await state.approvals.take("t", call), { state: "denied", reason: "Not today." }, "take");
    expectEqual(await state.approvals.take("t", call), { state: "unknown" }, "the second take");
  }),
  onState(
    "approvals:expire",
    "A request that was not used for 7 days has expired, granted or not",
    async (state, _other, fixture) => {
      await state.approvals.add(approvalOf("t"));
      await state.approvals.decide("t", { granted: "ada" });
      fixture.advance(7 * DAY_MS);
      expectThat((await state.approvals.get("t")) !== undefined, "it is there after 7 days");
      fixture.advance(1);
      expectEqual(await state.approvals.get("t"), undefined, "the request");
      expectEqual(await state.approvals.list(), [], "the list");
      expectEqual(await state.approvals.decide("t", { denied: "No." }), false, "a decision");
      expectEqual((await state.approvals.take("t", call)).state, "unknown", "a take");
      await state.approvals.add(approvalOf("t"));
      expectEqual((await state.approvals.take("t", call)).state, "pending", "a new request of that token");
    },
  ),
  onState(
    "approvals:remember",
    "What was allowed for a session or a project is known to each connection",
    async (state, other) => {
      const known = (more: Partial<typeof scopes>, keys: readonly string[]) =>
        other.approvals.remembered({ ...scopes, ...more }, keys);
      expectEqual(await known({}, ["write"]), false, "before");
      await state.approvals.remember({ session: "s1" }, ["write", "a\0\ud800"], "ada");
      await state.approvals.remember({ project: "local:/ws" }, ["run"], "ada");
      expectEqual(await known({}, ["write", "run", "a\0\ud800"]), true, "keys of both");
      expectEqual(await known({}, []), false, "no keys");
      expectEqual(await known({}, ["write", "delete"]), false, "one key that is not remembered");
      expectEqual(await known({ session: "s2" }, ["write"]), false, "another session");
      expectEqual(await known({ session: "s2" }, ["run"]), true, "another session of the project");
      expectEqual(await known({ project: "local:/other" }, ["run"]), false, "another project");
      expectEqual(await known({ session: "local:/ws", project: "s1" }, ["write"]), false, "the names swapped");
    },
  ),
  onState(
    "approvals:remember:session-end",
    "What was allowed for a session is forgotten with it",
    async (state, other) => {
      await state.sessions.open("s1");
      for (const scope of [{ session: "s1" }, { session: "never-opened" }, { project: "local:/ws" }])
        await state.approvals.remember(scope, ["session" in scope ? "write" : "run"], "ada");
      await other.sessions.end("s1");
      await other.sessions.end("never-opened");
      await state.sessions.open("s1");
      expectEqual(await state.approvals.remembered(scopes, ["write"]), false, "of the session");
      expectEqual(
        await state.approvals.remembered({ ...scopes, session: "never-opened" }, ["write"]),
        false,
        "of another",
      );
      expectEqual(await state.approvals.remembered(scopes, ["run"]), true, "of the project");
    },
  ),
  onState(
    "approvals:remember:later-session",
    "What was allowed in a session that has ended meanwhile holds in no later session of its id",
    async (state, other) => {
      const { version } = await state.sessions.open("s1");
      const remember = () => state.approvals.remember({ session: "s1", version }, ["write"], "ada");
      const known = (of: string) => state.approvals.remembered({ ...scopes, version: of }, ["write"]);
      await remember();
      expectEqual(await known(version), true, "before the end");
      await other.sessions.end("s1");
      await expectError(remember, "STORE_CLOSED", "after the end");
      const later = await other.sessions.open("s1");
      await expectError(remember, "STORE_CLOSED", "when another one has begun");
      expectEqual([await known(version), await known(later.version)], [false, false], "in either");
      await state.approvals.remember({ session: "s1", version: later.version }, ["write"], "ada");
      expectEqual([await known(version), await known(later.version)], [false, true], "in the later one");
    },
  ),
  onState("problem", "A usable state reports no problem", async (state) => {
    expectEqual(await state.problem(), undefined, "the problem");
  }),
  onState("close", "A closed state refuses everything, and closing twice is harmless", async (state, other) => {
    const documents = state.documents("notes");
    await documents.update("a", () => 1);
    await state.close();
    await state.close();
    const uses: readonly (() => Promise<unknown>)[] = [
      () => documents.get("a"),
      () => documents.update("a", () => 2),
      async () => documents.list()[Symbol.asyncIterator]().next(),
      () => state.documents("other").get("a"),
      () => state.sessions.open("s1"),
      () => state.sessions.touch("s1"),
      () => state.sessions.end("s1"),
      async () => state.sessions.list()[Symbol.asyncIterator]().next(),
      () => state.approvals.add(approvalOf("t")),
      () => state.approvals.get("t"),
      () => state.approvals.list(),
      () => state.approvals.decide("t", { granted: "ada" }),
      () => state.approvals.take("t", call),
      () => state.approvals.remember({ session: "s1" }, ["write"], "ada"),
      () => state.approvals.remembered(scopes, ["write"]),
    ];
    for (const use of uses) await expectError(use, "STORE_CLOSED", "a use after the end");
    expectThat((await state.problem()) !== undefined, "it reports the problem");
    if (state.shared) expectEqual((await other.documents("notes").get("a"))?.value, 1, "another connection");
  }),
];
