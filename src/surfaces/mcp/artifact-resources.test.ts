import { beforeEach, describe, expect, it } from "vitest";
import type { ArtifactInfo, ArtifactPart, Artifacts } from "../../kernel/index.js";
import {
  artifactPage,
  artifactTemplates,
  artifactWindow,
  MAX_WINDOW_BYTES,
  readArtifactWindow,
  WINDOW_META,
} from "./artifact-resources.js";

let parts: Map<string, { readonly bytes: Buffer; readonly gap?: readonly [number, number] } | "evicted">;
beforeEach(() => {
  parts = new Map();
});

/** Reads as the port says: within the gap no bytes come, and a window ends where the gap begins. */
const artifacts = {
  async read(id: string, offset: number, length: number): Promise<ArtifactPart | "evicted" | "unknown"> {
    const found = parts.get(id) ?? "unknown";
    if (typeof found === "string") return found;
    const { bytes, gap } = found;
    const keptBytes = bytes.length - (gap === undefined ? 0 : gap[1] - gap[0]);
    const end = gap === undefined || offset >= gap[1] ? offset + length : Math.min(offset + length, gap[0]);
    const isInGap = gap !== undefined && offset >= gap[0] && offset < gap[1];
    const part = isInGap ? Buffer.alloc(0) : bytes.subarray(offset, end);
    return { bytes: part, keptBytes, producedBytes: bytes.length, ...(gap === undefined ? {} : { gap }) };
  },
} as unknown as Artifacts;

const read = async (uri: string) => {
  const window = artifactWindow(uri);
  if (window === undefined || typeof window === "string") throw new Error(`no window: ${window}`);
  return readArtifactWindow(artifacts, window);
};
const info = (id: string, more: Partial<ArtifactInfo> = {}): ArtifactInfo => ({
  id,
  what: "stdout",
  producedBytes: 10,
  keptBytes: 10,
  createdMs: 0,
  ...more,
});

describe("the addresses of artifacts", () => {
  it("name a window, and nothing but the session's artifacts", () => {
    expect(artifactWindow("artifact:///a-12")).toEqual({ id: "a-12", offset: 0, length: 65_536 });
    expect(artifactWindow("artifact:///a-12?offset=7&length=9")).toEqual({ id: "a-12", offset: 7, length: 9 });
    for (const uri of [
      "artifact:///",
      "artifact:///../x",
      "artifact:///a/b",
      "artifact://host/a",
      "file:///etc/passwd",
      "artifact:///A",
      "",
      `artifact:///${"a".repeat(41)}`,
    ])
      expect([uri, artifactWindow(uri)]).toEqual([uri, undefined]);
  });

  it("are refused with the limits where the window is none", () => {
    for (const query of [
      "offset=-1",
      "offset=x",
      "offset=1e3",
      "offset=",
      "length=0",
      `length=${MAX_WINDOW_BYTES + 1}`,
      "offset=99999999999999999",
    ])
      expect([query, artifactWindow(`artifact:///a?${query}`)]).toEqual([
        query,
        expect.stringContaining(String(MAX_WINDOW_BYTES)),
      ]);
  });

  it("follow a template", () => {
    expect(artifactTemplates().resourceTemplates.map((one) => one.uriTemplate)).toEqual([
      "artifact:///{id}",
      "artifact:///{id}{?offset,length}",
    ]);
  });
});

describe("a list of artifacts", () => {
  it("comes in pages, the newest first, each artifact once", () => {
    const all = Array.from({ length: 250 }, (_, index) => info(`a-${index}`));
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = artifactPage(all, cursor);
      ids.push(...page.resources.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(ids).toEqual(all.map(({ id }) => id).reverse());
    expect(artifactPage(all, "gave way")).toEqual({ resources: [] });
    expect(artifactPage([], undefined)).toEqual({ resources: [] });
  });

  it("says how much of each is kept", () => {
    const [one] = artifactPage([info("a-1", { producedBytes: 100 })], undefined).resources;
    expect(one).toMatchObject({
      uri: "artifact:///a-1",
      title: "stdout",
      size: 10,
      description: "10 of 100 bytes are kept",
    });
  });
});

describe("a window of an artifact", () => {
  it("is the whole of a short one, as text", async () => {
    parts.set("a", { bytes: Buffer.from("short\n") });
    expect(await read("artifact:///a")).toEqual({
      contents: [{ uri: "artifact:///a", mimeType: "text/plain", text: "short\n" }],
      _meta: { [WINDOW_META]: { offset: 0, bytes: 6, producedBytes: 6, keptBytes: 6 } },
    });
    parts.set("empty", { bytes: Buffer.alloc(0) });
    expect(await read("artifact:///empty")).toMatchObject({ contents: [{ text: "" }] });
  });

  it("names the next one, and the windows together are the artifact, no character cut", async () => {
    const text = "é€🪓x".repeat(2_000);
    parts.set("a", { bytes: Buffer.from(text) });
    let joined = "";
    let uri: string | undefined = "artifact:///a?length=101";
    while (uri !== undefined) {
      const window: Awaited<ReturnType<typeof read>> = await read(uri);
      if (window === undefined || window === "evicted") throw new Error("gone");
      const [shown, next] = window.contents as { uri: string; text: string }[];
      expect(shown?.text).not.toContain("�");
      joined += shown?.text;
      expect(next === undefined || next.text.includes(next.uri)).toBe(true);
      uri = next?.uri;
    }
    expect(joined).toBe(text);
  });

  it("reports what was not stored, and continues after it", async () => {
    parts.set("a", { bytes: Buffer.from("head".repeat(5) + "x".repeat(80) + "tail".repeat(5)), gap: [20, 100] });
    expect(await read("artifact:///a?length=60")).toMatchObject({
      contents: [
        { text: "head".repeat(5) },
        { uri: "artifact:///a?offset=100&length=60", text: expect.stringContaining("Bytes 20 to 100 were not kept") },
      ],
      _meta: { [WINDOW_META]: { offset: 0, bytes: 20, producedBytes: 120, keptBytes: 40, gap: [20, 100], next: 100 } },
    });
    expect(await read("artifact:///a?offset=50&length=60")).toMatchObject({
      contents: [{ text: "" }, { uri: "artifact:///a?offset=100&length=60" }],
    });
    expect(await read("artifact:///a?offset=100")).toMatchObject({ contents: [{ text: "tail".repeat(5) }] });
  });

  it("is in base64 where the bytes are no text", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00, 0x0d]);
    parts.set("a", { bytes });
    expect(await read("artifact:///a")).toMatchObject({
      contents: [{ mimeType: "application/octet-stream", blob: bytes.toString("base64") }],
    });
  });

  it("is not there for what the session does not have or what gave way", async () => {
    parts.set("old", "evicted");
    expect(await read("artifact:///old")).toBe("evicted");
    expect(await read("artifact:///other")).toBeUndefined();
  });

  it("is empty behind the end", async () => {
    parts.set("a", { bytes: Buffer.from("short") });
    expect(await read("artifact:///a?offset=99")).toMatchObject({ contents: [{ text: "" }] });
  });
});
