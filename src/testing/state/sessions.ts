import { SESSION_IDLE_MS } from "../../kernel/index.js";
import { collect } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import type { Suite } from "../plan.js";
import { onState, type StateFixture } from "./state-fixture.js";

/** What every store guarantees about sessions and their documents. */
export const stateSessions: Suite<StateFixture> = [
  onState("sessions:open:same", "A session is found again by its id, by each connection", async (state, other) => {
    const opened = await state.sessions.open("daily", { owner: "ada" });
    expectEqual([opened.id, opened.owner, opened.isTemporary], ["daily", "ada", false], "the session");
    expectEqual(
      (await other.sessions.open("daily", { owner: "bob" })).owner,
      "ada",
      "the owner of an existing session",
    );
    expectEqual((await other.sessions.open("daily")).version, opened.version, "the version");
    expectThat((await state.sessions.open("other", { isTemporary: true })).isTemporary, "a temporary one is marked");
  }),
  onState("sessions:open:at-once", "Opening one id at the same time opens one session", async (state, other) => {
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? state : other).sessions.open("daily")),
    );
    expectEqual(new Set(opened.map(({ version }) => version)).size, 1, "versions");
  }),
  onState("sessions:open:odd-ids", "Odd ids are kept apart, and unstorable ones are refused", async (state) => {
    const ids = ["A", "a", "a/b", "..", "__proto__", "s\n1", "i".repeat(1_024)];
    for (const id of ids) await state.sessions.open(id);
    expectEqual((await collect(state.sessions.list())).map(({ id }) => id).sort(), [...ids].sort(), "ids");
    for (const id of ["", "a\0b", "\ud800", "i".repeat(1_025)])
      await expectError(() => state.sessions.open(id), "STORE_INVALID", "open");
  }),
  onState("sessions:touch", "A touch moves the time of the last use", async (state, other, fixture) => {
    const { usedMs, createdMs } = await state.sessions.open("daily");
    fixture.advance(120_000);
    expectEqual(await other.sessions.touch("daily"), true, "touch");
    expectEqual(await other.sessions.touch("none"), false, "touch of a missing one");
    const [touched] = await collect(state.sessions.list());
    expectEqual([touched?.usedMs, touched?.createdMs], [usedMs + 120_000, createdMs], "times");
  }),
  onState("sessions:list", "Sessions are listed in the order of their ids, of one owner if asked", async (state) => {
    for (const id of ["b", "😀", "\uffee", "a"]) await state.sessions.open(id, id === "b" ? { owner: "ada" } : {});
    expectEqual(
      (await collect(state.sessions.list())).map(({ id }) => id),
      ["a", "b", "\uffee", "😀"],
      "all",
    );
    expectEqual(
      (await collect(state.sessions.list({ owner: "ada" }))).map(({ id }) => id),
      ["b"],
      "one owner",
    );
    expectEqual(await collect(state.sessions.list({ owner: "eve" })), [], "another owner");
  }),
  onState("sessions:documents", "A session has documents of its own", async (state, other) => {
    const [one, two] = [await state.sessions.open("one"), await state.sessions.open("two")];
    await state.documents("notes").update("a", () => "host");
    await state.documents("notes", one).update("a", () => "one");
    await state.documents("notes", two).update("a", () => "two");
    expectEqual((await other.documents("notes", one).get("a"))?.value, "one", "of one");
    expectEqual((await other.documents("notes", two).get("a"))?.value, "two", "of the other");
    expectEqual((await other.documents("notes").get("a"))?.value, "host", "of the host");
  }),
  onState("sessions:end", "An ended session is gone with its documents and refuses writes", async (state, other) => {
    const session = await state.sessions.open("daily");
    const documents = state.documents("notes", session);
    await documents.update("a", () => 1);
    expectEqual(await other.sessions.end("daily"), true, "end");
    expectEqual(await other.sessions.end("daily"), false, "a second end");
    expectEqual(await collect(state.sessions.list()), [], "the list");
    expectEqual(await state.sessions.touch("daily"), false, "touch");
    expectEqual(await documents.get("a"), undefined, "the document");
    expectEqual(await collect(documents.list()), [], "the documents");
    await expectError(() => documents.update("a", () => 2), "STORE_CLOSED", "update");
    await expectError(() => documents.update("a", () => undefined), "STORE_CLOSED", "a deletion");
  }),
  onState("sessions:end:opened-again", "A session opened again after its end is a new one", async (state, other) => {
    const first = await state.sessions.open("daily");
    const stale = state.documents("notes", first);
    await stale.update("a", () => "first");
    await other.sessions.end("daily");
    const second = await other.sessions.open("daily");
    expectThat(first.version !== second.version, "it has another version");
    expectEqual(await other.documents("notes", second).get("a"), undefined, "its documents");
    await expectError(() => stale.update("a", () => "stale"), "STORE_CLOSED", "a write of the first");
    await other.documents("notes", second).update("a", () => "second");
    expectEqual(await stale.get("a"), undefined, "what the first reads");
    await expectError(() => stale.update("a", () => undefined), "STORE_CLOSED", "a deletion by the first");
    expectEqual((await other.documents("notes", second).get("a"))?.value, "second", "the document");
  }),
  onState(
    "sessions:end:version",
    "A session can be ended only as long as it is the one meant",
    async (state, other) => {
      const first = await state.sessions.open("daily");
      await state.sessions.end("daily");
      expectEqual(await other.sessions.end("daily", first.version), false, "the end of one that has ended");
      const second = await other.sessions.open("daily");
      expectEqual(await state.sessions.end("daily", first.version), false, "the end of an earlier one");
      expectEqual(
        (await collect(state.sessions.list())).map(({ version }) => version),
        [second.version],
        "the list",
      );
      expectEqual(await state.sessions.end("daily", second.version), true, "the end of this one");
      expectEqual(await collect(state.sessions.list()), [], "the list after it");
    },
  ),
  onState("sessions:open:idle", "A session that was idle for a day has ended", async (state, other, fixture) => {
    const first = await state.sessions.open("daily");
    await state.documents("notes", first).update("a", () => 1);
    fixture.advance(SESSION_IDLE_MS - 60_000);
    await other.sessions.touch("daily");
    fixture.advance(SESSION_IDLE_MS - 60_000);
    expectEqual((await other.sessions.open("daily")).version, first.version, "the version after less");
    fixture.advance(120_000);
    const second = await other.sessions.open("daily");
    expectThat(second.version !== first.version, "it has another version after a day");
    expectEqual(await state.documents("notes", second).get("a"), undefined, "its documents");
    await expectError(
      () => state.documents("notes", first).update("a", () => 2),
      "STORE_CLOSED",
      "a write of the first",
    );
  }),
  onState(
    "sessions:documents:changing",
    "A document that another connection replaces again and again is read as it is",
    async (state, other) => {
      const session = await state.sessions.open("daily");
      const [here, there] = [state.documents("notes", session), other.documents("notes", session)];
      for (let count = 0; count < 10; count += 1) {
        const written = await there.update("a", () => ({ count }));
        for (const _ of [1, 2]) expectEqual(await here.get("a"), written, "the document");
      }
      await there.update("a", () => undefined);
      expectEqual(await here.get("a"), undefined, "the deleted document");
    },
  ),
];
