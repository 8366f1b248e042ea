import type { Memories, MemoryContent, State } from "../../kernel/index.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import type { Case, Suite } from "../plan.js";
import { ASKED_NOTES } from "./memory-questions.js";
import { onState, type StateFixture } from "./state-fixture.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const note = (key: string, content: string, more: Partial<MemoryContent> = {}): MemoryContent => ({
  key,
  content,
  category: "core",
  ...more,
});

/** A case over the memories of one namespace through two connections. */
function onMemories(
  id: string,
  behavior: string,
  run: (memories: Memories, other: Memories, more: { state: State; fixture: StateFixture }) => Promise<void>,
): Case<StateFixture> {
  return onState(`memories:${id}`, behavior, async (state, other, fixture) => {
    const of = (one: State, namespace = "default"): Memories => {
      if (one.memories === undefined) throw new Error("This state has no memories.");
      return one.memories(namespace);
    };
    await run(of(state), of(other), { state, fixture });
  });
}

const keysOf = (entries: readonly { readonly key: string }[]) => entries.map(({ key }) => key);

async function listed(memories: Memories, filter?: Parameters<Memories["list"]>[0]): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of memories.list(filter)) keys.push(key);
  return keys;
}

/** What every store with memories guarantees. */
export const stateMemories: Suite<StateFixture> = [
  onMemories("store", "An entry comes back as it was stored, by each connection", async (memories, other) => {
    const content = "a \\ backslash, \\u0041, NUL \0, a lone \ud800 surrogate, 😀\r\nand `code`";
    const full = note("k", content, { tags: ["a", 'b"c', ","], session: "s1", importance: 0.5, pinned: true });
    const stored = await memories.store(full);
    expectThat(stored.id !== "" && stored.storedMs > 0, "it has an id and a time");
    const expected = { ...full, id: stored.id, storedMs: stored.storedMs };
    expectEqual(stored, expected, "what is returned");
    expectEqual(await other.get("k"), expected, "what is read");
    expectEqual(await other.get("K"), undefined, "another key");
    expectEqual((await other.store(note("bare", "x"))).tags, [], "tags of an entry without");
    expectEqual((await other.store(note("dated", "x", { storedMs: 5 }))).storedMs, 5, "the time of an imported entry");
  }),
  onMemories("store:replaces", "The same key replaces, and older versions are kept", async (memories, other) => {
    const first = await memories.store(note("colour", "likes blue"));
    const second = await other.store(note("colour", "likes green"));
    expectThat(first.id !== second.id, "each version has its own id");
    expectEqual((await memories.get("colour"))?.content, "likes green", "the current version");
    expectEqual(keysOf(await memories.recall({ text: "likes" })), ["colour"], "what is found");
    expectEqual(await memories.recall({ text: "blue" }), [], "a search for the older version");
    const versions = (await memories.history("colour")).map(({ content, supersededBy }) => [content, supersededBy]);
    expectEqual(
      versions,
      [
        ["likes green", undefined],
        ["likes blue", second.id],
      ],
      "the versions",
    );
    for (let index = 0; index < 110; index++) await memories.store(note("colour", `version ${index}`));
    const kept = await other.history("colour");
    expectEqual(
      [kept.length, kept[0]?.content, kept[99]?.content],
      [100, "version 109", "version 10"],
      "the kept ones",
    );
  }),
  onMemories("store:at-once", "No entry is lost of those that are stored at once", async (memories, other) => {
    const stores = Array.from({ length: 40 }, (_, at) =>
      (at % 2 ? memories : other).store(note(`k${at % 20}`, `v${at}`)),
    );
    await Promise.all(stores);
    expectEqual((await listed(memories)).length, 20, "entries");
    for (let at = 0; at < 20; at++) expectEqual((await other.history(`k${at}`)).length, 2, `versions of k${at}`);
  }),
  onMemories("store:limits", "What cannot be stored is refused, and changes nothing", async (memories) => {
    const refused: readonly [string, MemoryContent][] = [
      ["an empty key", note("", "x")],
      ["a long key", note("k".repeat(257), "x")],
      ["a control character", note("a\nb", "x")],
      ["a lone surrogate", note("a\ud800", "x")],
      ["a line separator", note("a\u2028b", "x")],
      ["an empty content", note("k", "")],
      ["a long content", note("k", "x".repeat(65_537))],
      ["an empty category", note("k", "x", { category: "" })],
      ["17 tags", note("k", "x", { tags: Array.from({ length: 17 }, (_, at) => `t${at}`) })],
      ["an empty tag", note("k", "x", { tags: [""] })],
      ["an importance above 1", note("k", "x", { importance: 1.1 })],
      ["a vector that is not finite", note("k", "x", { vector: [1, Number.NaN] })],
    ];
    for (const [what, content] of refused) await expectError(() => memories.store(content), "STORE_INVALID", what);
    expectEqual(await listed(memories), [], "what is stored");
    await memories.store(note("k".repeat(256), "x".repeat(65_536)));
    await memories.store(
      note(
        "random",
        Array.from({ length: 21_845 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7) % 20_000)))
          .join("é ")
          .slice(0, 65_536),
      ),
    );
    await expectError(() => memories.recall({ limit: 0 }), "STORE_INVALID", "a limit of 0");
    await expectError(() => memories.recall({ limit: 101 }), "STORE_INVALID", "a limit of 101");
  }),
  onMemories(
    "forget",
    "Forgetting deletes an entry with its versions, once, and nothing else",
    async (memories, other) => {
      await memories.store(note("a", "alpha"));
      await memories.store(note("a", "alpha again"));
      await memories.store(note("ab", "alpha beta"));
      for (const none of ["%", "", "_", "a%", "a\0", "*"])
        expectEqual(await other.forget(none), false, `forget "${none}"`);
      expectEqual(await other.forget("a"), true, "the first time");
      expectEqual(await memories.forget("a"), false, "the second time");
      expectEqual([await memories.get("a"), await memories.history("a")], [undefined, []], "what is left");
      expectEqual(keysOf(await memories.recall({ text: "alpha" })), ["ab"], "what is found");
      await memories.store(note("a", "anew"));
      expectEqual((await other.history("a")).length, 1, "versions of an entry stored anew");
    },
  ),
  onMemories(
    "list",
    "Entries are listed in the order of their keys as UTF-8 bytes",
    async (memories, other, { state }) => {
      const keys = ["b", "a", "B", "é", "z", "\u{1f600}", "\uffee", "a b"];
      for (const key of keys) await memories.store(note(key, key, { category: key < "b" ? "daily" : "core" }));
      const sorted = ["B", "a", "a b", "b", "z", "é", "\uffee", "\u{1f600}"];
      expectEqual(await listed(other), sorted, "all");
      expectEqual(await listed(other, { after: "b" }), sorted.slice(4), "after b");
      expectEqual(await listed(other, { category: "daily" }), ["B", "a", "a b"], "one category");
      expectEqual(await listed(state.memories?.("someone else") ?? memories), [], "of another namespace");
    },
  ),
  onMemories("recall:newest", "Without a text the newest come first", async (memories, other, { fixture }) => {
    for (const key of ["c", "a", "b"]) {
      await memories.store(note(key, `about ${key}`));
      fixture.advance(1_000);
    }
    expectEqual(keysOf(await other.recall({})), ["b", "a", "c"], "all");
    expectEqual(keysOf(await other.recall({ limit: 1, text: " " })), ["b"], "one, for a blank text");
    expectEqual((await other.recall({ limit: 1 }))[0]?.score, 1, "the score");
  }),
  onMemories("recall:filters", "Category, tags and times narrow a search", async (memories, other, { fixture }) => {
    const first = await memories.store(note("one", "deploy on monday", { tags: ["ops", "a,b"], category: "daily" }));
    fixture.advance(DAY_MS);
    await memories.store(note("two", "deploy on tuesday", { tags: ["ops"] }));
    for (const text of ["deploy", undefined]) {
      const find = async (query: object) =>
        keysOf(await other.recall({ ...(text === undefined ? {} : { text }), ...query })).toSorted();
      expectEqual(await find({}), ["one", "two"], "all");
      expectEqual(await find({ category: "daily" }), ["one"], "a category");
      expectEqual(await find({ tags: ["ops"] }), ["one", "two"], "a tag");
      expectEqual(await find({ tags: ["ops", "a,b"] }), ["one"], "two tags");
      for (const tag of ["op", ",", '"', "%", "\0"]) expectEqual(await find({ tags: [tag] }), [], `the tag "${tag}"`);
      expectEqual(
        await find({ sinceMs: first.storedMs, untilMs: first.storedMs + DAY_MS }),
        ["one"],
        "until is exclusive",
      );
      expectEqual(await find({ sinceMs: first.storedMs + 1 }), ["two"], "since");
      expectEqual(await find({ category: "d\0" }), [], "a category that cannot be stored");
    }
  }),
  onMemories(
    "recall:words",
    "Words, parts of words and short words are found in key and content",
    async (memories, other) => {
      const notes = {
        "deploy-process": "Releases go through blue-green at 14:00; port:9000 is for staging, MB/s don't matter",
        language: "The worker is written in C#, the tools in Go, and r2 is the bucket",
        nickname: "客户的昵称是小林，来自日本",
        street: "Η ΟΔΟΣ.ΑΒ είναι ο παλιός δρόμος",
        cafe: "Meeting at the Café Müller in Łódź, STRASSE is straße",
        code: "Use `getUserName()` from src/http/userStore.ts in v2.14.3",
      };
      for (const [key, content] of Object.entries(notes)) await memories.store(note(key, content));
      const questions: Readonly<Record<string, keyof typeof notes>> = {
        "blue-green": "deploy-process",
        'port:9000 AND (staging "': "deploy-process",
        "MB/s don't": "deploy-process",
        deploy: "deploy-process",
        releas: "deploy-process",
        "C#": "language",
        go: "language",
        r2: "language",
        日本: "nickname",
        林: "nickname",
        昵称: "nickname",
        是小林: "nickname",
        "cafe muller": "cafe",
        lodz: "cafe",
        οδος: "street",
        ΟΔΟΣ: "street",
        "παλιοσ δρομοσ": "street",
        strasse: "cafe",
        username: "code",
        userstore: "code",
        "2.14.3": "code",
        "GETUSERNAME()": "code",
        "`": "code",
      };
      for (const [text, key] of Object.entries(questions)) {
        expectEqual((await other.recall({ text, limit: 1 }))[0]?.key, key, `the best for "${text}"`);
      }
    },
  ),
  onMemories(
    "recall:questions",
    "Of sixty questions at least 57 have the right note among the first three",
    async (memories, other) => {
      // The keys say nothing: the contents alone are found.
      for (const [at, { content }] of ASKED_NOTES.entries()) await memories.store(note(`k${at}`, content));
      const missed: string[] = [];
      for (const { content, question } of ASKED_NOTES) {
        const found = await other.recall({ text: question, limit: 3 });
        if (found.every((one) => one.content !== content)) missed.push(question);
      }
      expectThat(ASKED_NOTES.length === 60 && missed.length <= 3, `57 of 60 are found; missed: ${missed.join("; ")}`);
    },
  ),
  onMemories("recall:long-words", "A long word is found by its first 64 characters", async (memories) => {
    for (const [key, first] of ["a", "bb", "é"].entries())
      await memories.store(note(`${key}`, `${first}${"\u{10330}".repeat(40)} ${first.repeat(70)}`));
    expectEqual(
      keysOf(await memories.recall({ text: `bb${"\u{10330}".repeat(40)}`, limit: 1 })),
      ["1"],
      "of two units",
    );
    expectEqual(keysOf(await memories.recall({ text: `a${"\u{10330}".repeat(40)}`, limit: 1 })), ["0"], "cut in two");
    expectEqual(keysOf(await memories.recall({ text: "é".repeat(70), limit: 1 })), ["2"], "with accents");
  }),
  onMemories("recall:long-notes", "A word at the end of a long note is found", async (memories, other) => {
    await memories.store(note("long", `${"filler ".repeat(4_000)}zanzibar`));
    await memories.store(note("short", "filler"));
    expectEqual(keysOf(await other.recall({ text: "zanzibar" })), ["long"], "alone");
    expectEqual(keysOf(await other.recall({ text: "filler zanzibar" })).length, 2, "with another word");
    for (let at = 0; at < 20; at++) await memories.store(note(`usual ${at}`, `${at} usual`));
    await memories.store(note("also long", `usual ${"padding ".repeat(1_000)}`));
    expectEqual(
      (await other.recall({ text: "usual zanzibar" }))[0]?.key,
      "long",
      "the best for a usual and a rare word",
    );
    await memories.store(note("zanzibar", "short"));
    await memories.store(note("zanzibar zanzibar", "zanzibar, zanzibar"));
    expectEqual(keysOf(await other.recall({ text: "zanzibar", limit: 1 })), ["zanzibar"], "the one of that key first");
  }),
  onMemories(
    "recall:replaced",
    "A note that is replaced meanwhile is found, as it is then",
    async (memories, other) => {
      await memories.store(note("k", "marmot 0"));
      for (let round = 1; round <= 60; round++) {
        const storing = other.store(note("k", `marmot ${round}`));
        storing.catch(() => undefined); // A failure is met below; until then it is not unhandled.
        const found = [await memories.recall({ text: "marmot" }), await memories.recall({ text: "marmot" })];
        await storing;
        for (const one of found)
          expectEqual(
            one.map(({ key, supersededBy }) => [key, supersededBy]),
            [["k", undefined]],
            `what is found in round ${round}`,
          );
      }
    },
  ),
  onMemories("recall:any-text", "No text of a query is syntax", async (memories) => {
    await memories.store(note("k", "quiet words"));
    const hostile = [
      "%",
      "_",
      "*",
      '"',
      "'",
      "\\",
      "(",
      "NOT",
      "NEAR(a b)",
      "key:quiet",
      "^quiet",
      "-quiet",
      "\0",
      "\ud800",
      "'; DROP TABLE haft_memories; --",
      "$1",
      "& | ! :*",
    ];
    for (const text of hostile) expectThat(Array.isArray(await memories.recall({ text })), `"${text}" is searched for`);
    for (const text of ["%", "_", "zzz", "*", "\u0301", "´", "¨ `"])
      expectEqual(await memories.recall({ text }), [], `what "${text}" finds`);
    expectEqual(keysOf(await memories.recall({ text: `quiet ${"x".repeat(100_000)}` })), ["k"], "a very long query");
    expectEqual((await memories.recall({ text: "quiet OR" })).length, 1, "an operator's name");
    await memories.store(note("accent", "rock ´ roll \u0301"));
    for (const text of ["rock ´ roll", "roll ¨", "\u0301 rock"])
      expectEqual(keysOf(await memories.recall({ text })), ["accent"], `"${text}", with a lone accent`);
  }),
  onMemories(
    "recall:score",
    "Scores are 0 to 1 relative to the best; ties go to the newest",
    async (memories, other, { fixture }) => {
      await memories.store(note("off", "the tests of the parser"));
      await memories.store(note("part", "lint the tests of the printer"));
      await memories.store(note("best", "lint flags unused memory"));
      fixture.advance(1_000);
      await memories.store(note("tie", "lint flags unused memory"));
      const found = await other.recall({ text: "memory lint", limit: 10 });
      expectEqual(keysOf(found), ["tie", "best", "part"], "the order");
      expectEqual(found[0]?.score, 1, "the best score");
      expectThat(
        found.every(({ score }) => score > 0 && score <= 1),
        "each score is from 0 to 1",
      );
      expectEqual(keysOf(await memories.recall({ text: "memory lint", limit: 2 })), ["tie", "best"], "with a limit");
    },
  ),
  onMemories(
    "recall:vector",
    "Embeddings count 0.7, words 0.3; an entry without one has its words alone",
    async (memories, other) => {
      await memories.store(note("near", "a cat sleeps", { vector: [1, 0, 0] }));
      await memories.store(note("far", "dark theme", { vector: [0, 1, 0] }));
      await memories.store(note("other-length", "light theme", { vector: [1, 0] }));
      const found = await other.recall({ text: "dark pet", vector: [1, 0, 0] });
      expectEqual(keysOf(found), ["near", "far"], "the order");
      expectThat(Math.abs((found[0]?.score ?? 0) - 0.7) < 1e-6, "one that is only similar has 0.7");
      expectThat(Math.abs((found[1]?.score ?? 0) - 0.3) < 1e-6, "one that has only the words has 0.3");
      expectEqual(keysOf(await other.recall({ vector: [0, 0.5, 0] })), ["far"], "without words");
      await memories.store(note("bare", "dark pet"));
      expectEqual((await other.recall({ text: "dark pet", vector: [1, 0, 0] }))[0]?.key, "bare", "the words alone");
    },
  ),
  onMemories("namespaces", "Nothing of another namespace is seen or changed", async (memories, other, { state }) => {
    const [ada, bob] = ["ada", "bob\0"].map((name) => state.memories?.(name) ?? memories) as [Memories, Memories];
    await ada.store(note("k", "secret of ada"));
    await bob.store(note("k", "secret of bob"));
    expectEqual(
      [(await ada.get("k"))?.content, (await bob.get("k"))?.content],
      ["secret of ada", "secret of bob"],
      "each",
    );
    expectEqual(keysOf(await ada.recall({ text: "bob" })), [], "a search for what another one has");
    expectEqual([await other.get("k"), await other.recall({ text: "secret" })], [undefined, []], "the default one");
    expectEqual(await other.forget("k"), false, "forgetting there");
    expectEqual((await ada.recall({})).length, 1, "what ada has");
  }),
  onMemories(
    "purge",
    "What is old and not pinned is purged by category, at most so often",
    async (memories, other, { fixture }) => {
      await memories.store(note("old", "x", { category: "daily" }));
      await memories.store(note("pinned", "x", { category: "daily", pinned: true }));
      await memories.store(note("core", "x"));
      fixture.advance(31 * DAY_MS);
      const fresh = await other.store(note("fresh", "x", { category: "daily" }));
      const which = {
        categories: ["daily", "conversation"],
        beforeMs: fresh.storedMs - 30 * DAY_MS,
        everyMs: DAY_MS / 2,
      };
      expectEqual(await other.purge(which), 1, "how many");
      expectEqual(await listed(memories), ["core", "fresh", "pinned"], "what is left");
      expectEqual(keysOf(await memories.recall({ text: "old" })), [], "a search for it");
      const all = { ...which, beforeMs: fresh.storedMs + 1 };
      expectEqual(await memories.purge(all), 0, "again, too early");
      fixture.advance(DAY_MS / 2);
      expectEqual(await memories.purge(all), 1, "again, half a day later");
    },
  ),
];
