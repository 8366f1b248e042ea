/** What every `Artifacts` store guarantees: nothing is dropped silently, and an evicted artifact reads as evicted. */

import type { Artifacts, Fs, Provenance } from "../kernel/index.js";
import { concatBytes } from "../text/index.js";
import { pseudoRandomBytes, utf8 } from "./case-setup.js";
import { expectBytes, expectEqual, expectError, expectThat } from "./expect.js";
import type { Case, Suite } from "./plan.js";

/** What a case of the artifacts suite works on. */
export interface ArtifactsFixture {
  /**
   * A new, empty store of one session. An artifact keeps `maxBytes`, half from its start and half from its end; all
   * together keep `quotaBytes`.
   */
  open(limits: { readonly maxBytes: number; readonly quotaBytes: number }): Promise<Artifacts>;
  dispose(): Promise<void>;
}

const ROOMY = { maxBytes: 1_000_000, quotaBytes: 10_000_000 };

async function put(
  artifacts: Artifacts,
  content: string | Uint8Array,
  what = "output",
  provenance?: Provenance,
): Promise<string> {
  const writer = await artifacts.create(provenance === undefined ? { what } : { what, provenance });
  await writer.write(typeof content === "string" ? utf8(content) : content);
  await writer.end();
  return writer.id;
}

async function readWhole(artifacts: Artifacts, id: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let offset = 0; ; ) {
    const part = await artifacts.read(id, offset, 70_000);
    if (typeof part === "string") throw new Error(`The artifact is ${part}.`);
    if (part.bytes.length === 0) return concatBytes(chunks);
    chunks.push(part.bytes);
    offset += part.bytes.length;
  }
}

function on(
  id: string,
  behavior: string,
  limits: { maxBytes: number; quotaBytes: number },
  run: (artifacts: Artifacts) => Promise<void>,
): Case<ArtifactsFixture> {
  return { id, behavior, run: async (fixture) => run(await fixture.open(limits)) };
}

/** What every artifact store guarantees: start and end are kept, gaps are counted, eviction is reported. */
export const artifactsSuite: Suite<ArtifactsFixture> = [
  on("artifacts:write:round-trip", "Content written in pieces is read back whole", ROOMY, async (artifacts) => {
    const bytes = pseudoRandomBytes(300_000, 41);
    const writer = await artifacts.create({ what: 'stdout of "npm test"' });
    for (let at = 0; at < bytes.length; at += 77_777) await writer.write(bytes.subarray(at, at + 77_777));
    expectEqual(await writer.end(), { producedBytes: 300_000, keptBytes: 300_000 }, "end");
    expectBytes(await readWhole(artifacts, writer.id), bytes, "bytes");
  }),
  on("artifacts:write:empty", "An artifact may be empty", ROOMY, async (artifacts) => {
    const writer = await artifacts.create({ what: "nothing" });
    expectEqual(await writer.end(), { producedBytes: 0, keptBytes: 0 }, "end");
    const part = await artifacts.read(writer.id, 0, 10);
    expectThat(typeof part !== "string" && part.bytes.length === 0 && part.gap === undefined, "it reads as no bytes");
  }),
  on(
    "artifacts:write:does-not-keep-the-buffer",
    "Changing a buffer after writing it does not change the artifact",
    ROOMY,
    async (artifacts) => {
      const bytes = utf8("before");
      const writer = await artifacts.create({ what: "output" });
      await writer.write(bytes);
      bytes.fill(0x78);
      await writer.end();
      expectBytes(await readWhole(artifacts, writer.id), "before", "bytes");
    },
  ),
  on(
    "artifacts:write:end-twice",
    "A second end returns the same, and a write after it is rejected",
    ROOMY,
    async (artifacts) => {
      const writer = await artifacts.create({ what: "output" });
      await writer.write(utf8("abc"));
      const first = await writer.end();
      expectEqual(await writer.end(), first, "the second end");
      await expectError(() => writer.write(utf8("more")), "STORE_CLOSED", "a write after the end");
      expectBytes(await readWhole(artifacts, writer.id), "abc", "bytes");
    },
  ),
  on("artifacts:read:window", "Any range can be read: shorter at the end, empty past it", ROOMY, async (artifacts) => {
    const id = await put(artifacts, "0123456789");
    const windows: readonly (readonly [number, number, string])[] = [
      [0, 4, "0123"],
      [3, 3, "345"],
      [8, 100, "89"],
      [10, 5, ""],
      [50, 5, ""],
      [4, 0, ""],
    ];
    for (const [offset, length, text] of windows) {
      const part = await artifacts.read(id, offset, length);
      if (typeof part === "string") throw new Error(`The artifact is ${part}.`);
      expectBytes(part.bytes, text, `${length} from ${offset}`);
      expectEqual([part.producedBytes, part.keptBytes, part.gap], [10, 10, undefined], "counts");
    }
  }),
  on("artifacts:read:while-writing", "Written bytes can be read before the end", ROOMY, async (artifacts) => {
    const writer = await artifacts.create({ what: "output" });
    await writer.write(utf8("first "));
    expectBytes(await readWhole(artifacts, writer.id), "first ", "bytes so far");
    await writer.write(utf8("second"));
    await writer.end();
    expectBytes(await readWhole(artifacts, writer.id), "first second", "all bytes");
  }),
  on("artifacts:read:unknown", "An id that never existed is unknown", ROOMY, async (artifacts) => {
    await put(artifacts, "x");
    for (const id of ["no-such-id", "", "999", "../1", "constructor"])
      expectEqual(await artifacts.read(id, 0, 1), "unknown", `"${id}"`);
  }),
  on("artifacts:ids:differ", "Every artifact has its own id", ROOMY, async (artifacts) => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => put(artifacts, `content ${index}`)));
    expectEqual(new Set(ids).size, 20, "number of ids");
    for (const [index, id] of ids.entries()) expectBytes(await readWhole(artifacts, id), `content ${index}`, id);
    expectThat(
      ids.every((id) => /^[a-z0-9-]{1,40}$/.test(id)),
      "ids are short and contain only a-z, 0-9 and -",
    );
  }),
  on(
    "artifacts:list:fields",
    "list returns id, what, counts, time and provenance in order of creation",
    ROOMY,
    async (artifacts) => {
      expectEqual(await artifacts.list(), [], "an empty store");
      const first = await put(artifacts, "12345", 'stdout of "make"');
      const second = await put(artifacts, "123", "page", { from: "web", ref: "https://example.com/" });
      const all = await artifacts.list();
      expectEqual(
        all.map((one) => [one.id, one.what, one.producedBytes, one.keptBytes]),
        [
          [first, 'stdout of "make"', 5, 5],
          [second, "page", 3, 3],
        ],
        "the list",
      );
      expectEqual(
        all.map((one) => one.provenance),
        [undefined, { from: "web", ref: "https://example.com/" }],
        "provenance",
      );
      expectThat(
        all.every((one) => Number.isInteger(one.createdMs)),
        "times are whole milliseconds",
      );
    },
  ),
  on(
    "artifacts:gap:first-and-last",
    "Over the limit the first and last halves are kept and the gap is counted",
    { maxBytes: 100, quotaBytes: 10_000 },
    async (artifacts) => {
      const bytes = pseudoRandomBytes(1_000, 42);
      const writer = await artifacts.create({ what: "output" });
      for (let at = 0; at < 1_000; at += 33) await writer.write(bytes.subarray(at, at + 33));
      expectEqual(await writer.end(), { producedBytes: 1_000, keptBytes: 100 }, "end");
      const head = await artifacts.read(writer.id, 0, 1_000);
      const tail = await artifacts.read(writer.id, 950, 1_000);
      if (typeof head === "string" || typeof tail === "string") throw new Error("The artifact is gone.");
      expectBytes(head.bytes, bytes.subarray(0, 50), "the first half");
      expectBytes(tail.bytes, bytes.subarray(950), "the last half");
      expectEqual([head.producedBytes, head.keptBytes], [1_000, 100], "counts");
    },
  ),
  on(
    "artifacts:gap:reported",
    "A read inside the gap returns no bytes and the range of the gap; one that reaches it stops there",
    { maxBytes: 100, quotaBytes: 10_000 },
    async (artifacts) => {
      const id = await put(artifacts, pseudoRandomBytes(1_000, 43));
      const inside = await artifacts.read(id, 500, 10);
      if (typeof inside === "string") throw new Error(`The artifact is ${inside}.`);
      expectEqual([inside.bytes.length, inside.gap], [0, [50, 950]], "inside the gap");
      const reaching = await artifacts.read(id, 40, 100);
      if (typeof reaching === "string") throw new Error(`The artifact is ${reaching}.`);
      expectEqual([reaching.bytes.length, reaching.gap], [10, [50, 950]], "up to the gap");
      const after = await artifacts.read(id, 960, 10);
      expectThat(typeof after !== "string" && after.bytes.length === 10, "bytes follow the gap");
    },
  ),
  on(
    "artifacts:gap:none-at-the-limit",
    "Exactly at the limit nothing is missing",
    { maxBytes: 100, quotaBytes: 10_000 },
    async (artifacts) => {
      const bytes = pseudoRandomBytes(100, 44);
      const id = await put(artifacts, bytes);
      expectBytes(await readWhole(artifacts, id), bytes, "bytes");
      expectEqual((await artifacts.list())[0]?.keptBytes, 100, "kept");
      const one = await put(artifacts, pseudoRandomBytes(101, 45));
      const part = await artifacts.read(one, 50, 1);
      expectThat(typeof part !== "string" && part.bytes.length === 0, "one byte more leaves a gap of one");
      expectEqual(typeof part === "string" ? part : part.gap, [50, 51], "the gap");
    },
  ),
  on(
    "artifacts:write:never-rejects-for-size",
    "A write far over the limit is counted, not rejected",
    { maxBytes: 64, quotaBytes: 128 },
    async (artifacts) => {
      const writer = await artifacts.create({ what: "flood" });
      for (let round = 0; round < 20; round += 1) await writer.write(pseudoRandomBytes(10_000, round + 1));
      expectEqual(await writer.end(), { producedBytes: 200_000, keptBytes: 64 }, "end");
    },
  ),
  on(
    "artifacts:quota:oldest-goes-first",
    "Over the quota the oldest artifact is evicted and reads as evicted; the others stay",
    { maxBytes: 100, quotaBytes: 250 },
    async (artifacts) => {
      const ids: string[] = [];
      for (const name of ["a", "b", "c"]) ids.push(await put(artifacts, name.repeat(100)));
      const [a, b, c] = ids as [string, string, string];
      expectEqual(await artifacts.read(a, 0, 10), "evicted", "the oldest");
      expectBytes(await readWhole(artifacts, b), "b".repeat(100), "the second");
      expectBytes(await readWhole(artifacts, c), "c".repeat(100), "the newest");
      expectEqual(
        (await artifacts.list()).map((one) => one.id),
        [b, c],
        "the list",
      );
    },
  ),
  on(
    "artifacts:discard:unknown",
    "A discarded artifact is unknown, also after its end and after its eviction",
    { maxBytes: 100, quotaBytes: 250 },
    async (artifacts) => {
      const evicted = await artifacts.create({ what: "output" });
      expectThat(evicted.discard !== undefined, "a writer can discard");
      await evicted.write(utf8("a".repeat(100)));
      await evicted.end();
      for (const name of ["b", "c"]) await put(artifacts, name.repeat(100));
      expectEqual(await artifacts.read(evicted.id, 0, 1), "evicted", "the evicted one");
      await evicted.discard();
      expectEqual(await artifacts.read(evicted.id, 0, 1), "unknown", "the evicted one after discard");
      const ended = await artifacts.create({ what: "output" });
      await ended.write(utf8("d"));
      await ended.end();
      await ended.discard?.();
      expectEqual(await artifacts.read(ended.id, 0, 1), "unknown", "an ended one after discard");
      expectThat(!(await artifacts.list()).some(({ id }) => id === ended.id || id === evicted.id), "neither is listed");
    },
  ),
  on(
    "artifacts:quota:ids-are-not-reused",
    "The id of an evicted artifact never names another",
    { maxBytes: 100, quotaBytes: 100 },
    async (artifacts) => {
      const ids: string[] = [];
      for (let index = 0; index < 8; index += 1) ids.push(await put(artifacts, `${index}`.repeat(100)));
      expectEqual(new Set(ids).size, 8, "number of ids");
      for (const id of ids.slice(0, -1)) expectEqual(await artifacts.read(id, 0, 1), "evicted", id);
      expectBytes(await readWhole(artifacts, ids.at(-1) as string), "7".repeat(100), "the newest");
    },
  ),
  on(
    "artifacts:export:copies",
    "export writes the kept bytes to a file and returns their number",
    ROOMY,
    async (artifacts) => {
      const bytes = pseudoRandomBytes(50_000, 46);
      const id = await put(artifacts, bytes);
      const written = new Map<string, Uint8Array>();
      expectEqual(await artifacts.export(id, capturing(written), "/project/out.bin"), { bytes: 50_000 }, "result");
      expectEqual([...written.keys()], ["/project/out.bin"], "paths");
      expectBytes(written.get("/project/out.bin") ?? new Uint8Array(), bytes, "bytes");
    },
  ),
  on(
    "artifacts:export:refuses",
    "export of an unknown or evicted artifact has a code for each, and writes nothing",
    { maxBytes: 100, quotaBytes: 100 },
    async (artifacts) => {
      const evicted = await put(artifacts, "a".repeat(100));
      await put(artifacts, "b".repeat(100));
      const written = new Map<string, Uint8Array>();
      await expectError(artifacts.export("no-such-id", capturing(written), "/out"), "ARTIFACT_UNKNOWN", "unknown");
      await expectError(artifacts.export(evicted, capturing(written), "/out"), "ARTIFACT_EVICTED", "evicted");
      expectEqual(written.size, 0, "files written");
    },
  ),
  {
    id: "artifacts:session:apart",
    behavior: "Two stores do not share artifacts",
    run: async (fixture) => {
      const one = await fixture.open(ROOMY);
      const two = await fixture.open(ROOMY);
      await put(one, "secret of one");
      expectEqual(await two.list(), [], "the list of the other");
    },
  },
];

/** An Fs that records writes and has no other operation. */
function capturing(written: Map<string, Uint8Array>): Fs {
  const keep = (path: string, data: string | Uint8Array) => {
    written.set(path, typeof data === "string" ? utf8(data) : Uint8Array.from(data));
  };
  const only: Pick<Fs, "writeFile" | "replaceAtomic"> = {
    writeFile: async (path, data) => keep(path, data),
    replaceAtomic: async (path, data) => {
      keep(path, data);
      return { before: null, after: "", created: true, inPlace: false };
    },
  };
  return only as Fs;
}
