import type { Documents, Json, StoredDocument } from "../../kernel/index.js";
import { collect } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import type { Suite } from "../plan.js";
import { onState, type StateFixture } from "./state-fixture.js";

const keysOf = async (found: AsyncIterable<StoredDocument>): Promise<string[]> =>
  (await collect(found)).map(({ key }) => key);

const put = (documents: Documents, key: string, value: Json): Promise<StoredDocument | undefined> =>
  documents.update(key, () => value);

/** Object literals cannot have such a member. */
const odd = (): Json =>
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"nul":"a\\u0000b","lone":"\\ud800x\\udfff","":[]}');

const nested = (levels: number): Json => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

/** What every store guarantees about documents. */
export const stateDocuments: Suite<StateFixture> = [
  onState("documents:get:missing", "A document that was never stored is undefined", async (state) => {
    expectEqual(await state.documents("notes").get("a"), undefined, "the document");
    expectEqual(await keysOf(state.documents("notes").list()), [], "the list");
  }),
  onState(
    "documents:update:round-trip",
    "A value is read back as it was stored, by each connection",
    async (state, other) => {
      for (const value of [null, false, 0, -1.5, "", "text", [], {}, [1, [2, { a: null }]], { a: { b: ["c"] } }]) {
        const written = await put(state.documents("notes"), "a", value);
        expectEqual(written?.value, value, "what update returns");
        expectEqual(await other.documents("notes").get("a"), written, "what get returns");
      }
    },
  ),
  onState("documents:update:copies", "Later changes of a value do not change what is stored", async (state) => {
    const documents = state.documents("notes");
    const value = { list: [1] };
    const written = await put(documents, "a", value);
    value.list.push(2);
    for (const copy of [written, await documents.get("a")]) {
      const copied = copy?.value as unknown as typeof value;
      copied.list.push(3);
    }
    await documents.update("a", (old) => {
      const { list } = old as { list: number[] };
      list.push(5);
      return { list: [...list] };
    });
    expectEqual((await documents.get("a"))?.value, { list: [1, 5] }, "the value");
  }),
  onState("documents:update:undefined-deletes", "Returning undefined deletes the document", async (state, other) => {
    const documents = state.documents("notes");
    await put(documents, "a", 1);
    expectEqual(await documents.update("a", () => undefined), undefined, "what update returns");
    expectEqual(await other.documents("notes").get("a"), undefined, "the document");
    expectEqual(await documents.update("a", () => undefined), undefined, "deleting again");
  }),
  onState(
    "documents:update:throwing",
    "Nothing is written when `change` throws, and its error is passed on",
    async (state) => {
      const documents = state.documents("notes");
      const before = await put(documents, "a", 1);
      const thrown = new Error("not now");
      let caught: unknown;
      await documents
        .update("a", () => {
          throw thrown;
        })
        .catch((error: unknown) => {
          caught = error;
        });
      expectThat(caught === thrown, "the error of `change` is passed on as it is");
      expectEqual(await documents.get("a"), before, "the document");
    },
  ),
  onState("documents:update:atomic", "Updates that run at the same time are all kept", async (state, other) => {
    const increment = (documents: Documents) => documents.update("n", (old) => Number(old ?? 0) + 1);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => increment((index % 2 === 0 ? state : other).documents("count"))),
    );
    expectEqual((await state.documents("count").get("n"))?.value, 40, "the count");
  }),
  onState("documents:version:random", "Each write has a version of its own, also of the same value", async (state) => {
    const documents = state.documents("notes");
    const versions = new Set<string | undefined>();
    for (let count = 0; count < 20; count += 1) {
      versions.add((await put(documents, "a", "same"))?.version);
      versions.add((await put(documents, "b", "same"))?.version);
      if (count % 3 === 0) await documents.update("a", () => undefined);
    }
    expectThat(!versions.has(undefined) && versions.size === 40, "40 writes have 40 versions");
  }),
  onState(
    "documents:version:stale-writer",
    "A writer that knows a deleted document's version does not overwrite the one created since",
    async (state, other) => {
      const documents = state.documents("notes");
      const seen = await put(documents, "a", "first");
      await other.documents("notes").update("a", () => undefined);
      const created = await put(other.documents("notes"), "a", "first");
      const after = await documents.update("a", (old, version) => (version === seen?.version ? "stale" : old));
      expectEqual(after?.value, "first", "what is stored");
      expectThat(created?.version !== seen?.version, "the new document has another version");
    },
  ),
  onState("documents:list:order", "Keys are listed in the order of their UTF-8 bytes", async (state) => {
    const documents = state.documents("notes");
    const inOrder = [
      " ",
      "%2f",
      "-",
      ".",
      "..",
      "../x",
      "/",
      "A",
      "B",
      "Z",
      "a",
      "a/b",
      "aa",
      "b",
      "é",
      "中",
      "\uffee",
      "😀",
    ];
    for (const key of [...inOrder].reverse()) await put(documents, key, key);
    expectEqual(await keysOf(documents.list()), inOrder, "keys");
    for (const { key, value } of await collect(documents.list())) expectEqual(value, key, "the value");
  }),
  onState("documents:list:query", "`prefix`, `after` and `limit` select, and can be combined", async (state) => {
    const documents = state.documents("notes");
    for (const key of ["a", "b/1", "b/2", "b/3", "c"]) await put(documents, key, 1);
    const listed = async (query: Parameters<Documents["list"]>[0]) => keysOf(documents.list(query));
    expectEqual(await listed({ prefix: "b/" }), ["b/1", "b/2", "b/3"], "prefix");
    expectEqual(await listed({ after: "b/2" }), ["b/3", "c"], "after");
    expectEqual(await listed({ after: "b" }), ["b/1", "b/2", "b/3", "c"], "after a key that is not stored");
    expectEqual(await listed({ limit: 2 }), ["a", "b/1"], "limit");
    expectEqual(await listed({ limit: 0 }), [], "limit 0");
    expectEqual(await listed({ prefix: "b/", after: "b/1", limit: 1 }), ["b/2"], "all three");
    expectEqual(await listed({ prefix: "x" }), [], "no match");
  }),
  onState(
    "documents:list:deleted-meanwhile",
    "Documents that are deleted while they are listed are omitted",
    async (state, other) => {
      const documents = state.documents("notes");
      for (const key of ["a", "b", "c"]) await put(documents, key, 1);
      const seen: string[] = [];
      for await (const { key } of documents.list()) {
        seen.push(key);
        if (key === "a") await other.documents("notes").update("b", () => undefined);
      }
      expectEqual(
        seen.filter((key) => key !== "b"),
        ["a", "c"],
        "the others",
      );
    },
  ),
  onState(
    "documents:key:odd",
    "Odd keys are kept apart, and unstorable ones are refused by get and update",
    async (state) => {
      const documents = state.documents("notes");
      const long = "k".repeat(1_024);
      const fine = [
        "__proto__",
        "constructor",
        "A",
        "a",
        "a.json",
        ".",
        "..",
        "../../a",
        "con",
        "a\nb",
        "%h",
        long,
        `${long.slice(1)}é`.slice(2),
      ];
      for (const key of fine) await put(documents, key, key);
      for (const key of fine) expectEqual((await documents.get(key))?.value, key, "the value");
      expectThat((await keysOf(documents.list())).length === fine.length, "each has a document of its own");
      for (const key of ["", "a\0b", "\ud800", "a\udfffb", `${long}k`, "é".repeat(513)]) {
        await expectError(() => documents.get(key), "STORE_INVALID", "get");
        await expectError(() => put(documents, key, 1), "STORE_INVALID", "update");
      }
    },
  ),
  onState(
    "documents:value:odd",
    "NUL, lone surrogates and members named `__proto__` are kept exactly",
    async (state, other) => {
      const written = await put(state.documents("notes"), "a", odd());
      const read = (await other.documents("notes").get("a"))?.value;
      for (const value of [written?.value, read]) {
        expectEqual(JSON.stringify(value), JSON.stringify(odd()), "the value");
        expectThat(Object.hasOwn(value as object, "__proto__"), "`__proto__` is a member");
        expectThat((value as { polluted?: unknown }).polluted === undefined, "no prototype was set");
      }
    },
  ),
  onState(
    "documents:value:refused",
    "What JSON cannot hold is refused, and what is too large or deep",
    async (state) => {
      const documents = state.documents("notes");
      const before = await put(documents, "a", "before");
      const cycle: Record<string, unknown> = {};
      cycle.again = cycle;
      const refused: readonly unknown[] = [
        Number.NaN,
        Number.POSITIVE_INFINITY,
        10n,
        () => 1,
        Symbol("s"),
        new Date(0),
        new Map(),
        new Uint8Array(1),
        [undefined],
        { a: { toJSON: () => 1 } },
        cycle,
        "x".repeat(1 << 20),
        nested(129),
      ];
      for (const value of refused)
        await expectError(() => put(documents, "a", value as Json), "STORE_INVALID", "update");
      expectEqual(await documents.get("a"), before, "the document");
      await put(documents, "a", { kept: 1, gone: undefined } as unknown as Json);
      expectEqual(JSON.stringify((await documents.get("a"))?.value), '{"kept":1}', "a member that is undefined");
      await put(documents, "a", "x".repeat((1 << 20) - 2));
      await put(documents, "a", nested(128));
    },
  ),
  onState("documents:collections", "Collections do not share documents, whatever their names are", async (state) => {
    const names = ["a", "A", "a/b", "..", "__proto__", "a.json"];
    for (const name of names) await put(state.documents(name), "key", name);
    for (const name of names) expectEqual((await state.documents(name).get("key"))?.value, name, "the value");
  }),
];
