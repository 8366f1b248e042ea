import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { memoryBench, toolBench } from "../tool-bench.fixture.js";
import type { ReadData } from "./contract.js";

const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("a window of lines", () => {
  verifies("IR-058", "reads three lines from the second of ten", async () => {
    const bench = memoryBench({ "ten.txt": numbered(10) });
    const { data } = await bench.call<ReadData>("read", { path: "ten.txt", offset: 2, limit: 3 });
    expect(data).toMatchObject({
      kind: "text",
      text: "line 2\nline 3\nline 4\n",
      startLine: 2,
      endLine: 4,
      totalLines: 10,
      nextOffset: 5,
      encoding: "utf-8",
      eol: "lf",
      hasBom: false,
    });
  });

  verifies("IR-060", "has no further line behind a final newline", async () => {
    const bench = memoryBench({ "two.txt": "a\nb\n", "open.txt": "a\nb", "empty.txt": "" });
    expect((await bench.call<ReadData>("read", { path: "two.txt" })).data).toMatchObject({ totalLines: 2, endLine: 2 });
    expect((await bench.call<ReadData>("read", { path: "open.txt" })).data).toMatchObject({
      totalLines: 2,
      text: "a\nb",
    });
    expect((await bench.call<ReadData>("read", { path: "empty.txt" })).data).toMatchObject({
      totalLines: 0,
      startLine: 0,
      endLine: 0,
      text: "",
    });
  });

  it("counts a negative offset from the end", async () => {
    const bench = memoryBench({ "ten.txt": numbered(10) });
    expect((await bench.call<ReadData>("read", { path: "ten.txt", offset: -2 })).data).toMatchObject({
      text: "line 9\nline 10\n",
      startLine: 9,
      endLine: 10,
    });
    expect((await bench.call<ReadData>("read", { path: "ten.txt", offset: -99, limit: 1 })).data).toMatchObject({
      text: "line 1\n",
      startLine: 1,
      nextOffset: 2,
    });
  });

  it("is empty past the end and reports how many lines there are", async () => {
    const bench = memoryBench({ "ten.txt": numbered(10) });
    expect((await bench.call<ReadData>("read", { path: "ten.txt", offset: 11 })).data).toMatchObject({
      text: "",
      startLine: 0,
      endLine: 0,
      totalLines: 10,
    });
  });

  verifies("IR-063", "refuses an offset or limit that is no positive whole number", async () => {
    const bench = memoryBench({ "a.txt": "a\n" });
    for (const bad of [{ offset: 0 }, { offset: 1.5 }, { limit: 0 }, { limit: -1 }, { limit: 1.5 }, { offset: "x" }]) {
      const call = await bench.call("read", { path: "a.txt", ...bad });
      expect(call).toMatchObject({ isError: true, status: "invalid", code: "CALL_INVALID" });
    }
  });

  it("ends at its limits, reports the truncation and can be continued without a gap", async () => {
    const bench = memoryBench({ "long.txt": numbered(5_000) });
    const seen: string[] = [];
    let offset: number | undefined = 1;
    while (offset !== undefined) {
      const call: { data?: ReadData; truncations?: readonly unknown[] } = await bench.call<ReadData>("read", {
        path: "long.txt",
        offset,
      });
      seen.push(call.data!.text);
      offset = call.data!.nextOffset;
      if (offset !== undefined)
        expect(call.truncations).toMatchObject([{ next: `Continue with \`offset\` ${offset}.` }]);
    }
    expect(seen.join("")).toBe(numbered(5_000));
    expect(seen).toHaveLength(3);
  });

  it("ends before the line that would go over its bytes", async () => {
    const bench = memoryBench({ "wide.txt": `${"é".repeat(50)}\n`.repeat(4) });
    const { data } = await bench.call<ReadData>("read", { path: "wide.txt" }, { maxBytes: 250 });
    expect(data).toMatchObject({ endLine: 2, nextOffset: 3, truncatedByBytes: true, totalLines: 4 });
  });

  it("returns all of it where the dialect cuts by itself", async () => {
    const text = `${"x".repeat(100_000)}\n${numbered(20_000)}`;
    const bench = memoryBench({ "all.txt": text });
    const { data, truncations: cuts } = await bench.call<ReadData>("read", { path: "all.txt" }, { truncate: "none" });
    expect(data?.text).toBe(text);
    expect(cuts).toEqual([]);
  });

  it("takes a limit over its maximum as the maximum", async () => {
    const bench = memoryBench({ "long.txt": numbered(2_500) });
    const { data } = await bench.call<ReadData>("read", { path: "long.txt", limit: 9_999 });
    expect(data?.endLine).toBe(2_000);
  });
});

describe("long lines", () => {
  it("truncates a line and reports its real length", async () => {
    const bench = memoryBench({ "min.js": `var a=${"x+".repeat(200_000)}1\nend\n` });
    const { data, truncations: cuts } = await bench.call<ReadData>("read", { path: "min.js", limit: 5 });
    expect(data?.text.startsWith("var a=x+x+")).toBe(true);
    expect(data?.text.length).toBe(2_000 + "\nend\n".length);
    expect(data?.truncatedLines).toEqual([{ line: 1, bytes: 400_007 }]);
    expect(cuts).toMatchObject([{ what: "line 1 of min.js", producedBytes: 400_007, keptBytes: 2_000 }]);
  });

  it("truncates between characters, and keeps a CRLF", async () => {
    const bench = memoryBench({ "w.txt": `${"漢".repeat(1_000)}\r\nb\r\n` });
    const { data } = await bench.call<ReadData>("read", { path: "w.txt" });
    expect(data?.text).toBe(`${"漢".repeat(666)}\r\nb\r\n`);
    expect(data?.replaced).toBeUndefined();
    expect(data?.eol).toBe("crlf");
  });
});

describe("encodings", () => {
  it("decodes UTF-16 by its mark and leaves a mark out of the text", async () => {
    const bench = memoryBench({
      "w.txt": bytesOf("\xff\xfeh\0i\0\r\0\n\0é\0"),
      "b.txt": bytesOf("\xef\xbb\xbfparam\n"),
    });
    expect((await bench.call<ReadData>("read", { path: "w.txt" })).data).toMatchObject({
      text: "hi\r\né",
      encoding: "utf-16le",
      hasBom: true,
      eol: "crlf",
      totalLines: 2,
    });
    expect((await bench.call<ReadData>("read", { path: "b.txt" })).data).toMatchObject({
      text: "param\n",
      hasBom: true,
    });
  });

  it("guesses a legacy encoding, and counts what it cannot decode", async () => {
    const bench = memoryBench({
      "fr.txt": bytesOf("Le caf\xe9 est tr\xe8s bon, \xe0 bient\xf4t les amis de l'\xe9t\xe9\n"),
      "g.txt": bytesOf("ok \xd6\xd0 \xff\n"),
      "u.txt": bytesOf("\xe4\xb8\xad\xe6\x96\x87 and \xff broken\n"),
    });
    expect((await bench.call<ReadData>("read", { path: "fr.txt" })).data).toMatchObject({
      text: "Le café est très bon, à bientôt les amis de l'été\n",
      encoding: "windows-1252",
    });
    const odd = (await bench.call<ReadData>("read", { path: "g.txt" })).data!;
    expect(odd.text.startsWith("ok ")).toBe(true);
    expect(odd.encoding !== "utf-8" || (odd.replaced ?? 0) > 0).toBe(true);
    expect((await bench.call<ReadData>("read", { path: "u.txt" })).data).toMatchObject({
      text: "中文 and \ufffd broken\n",
      encoding: "utf-8",
      replaced: 1,
    });
  });

  it("takes the encoding that the caller names, and refuses an unknown one", async () => {
    const bench = memoryBench({ "k.txt": bytesOf("\xd0\xd2\xc9\xd7\xc5\xd4\n") });
    const { data } = await bench.call<ReadData>("read", { path: "k.txt", encoding: "koi8-r" });
    expect(data).toMatchObject({ text: "привет\n", encoding: "koi8-r" });
    expect(await bench.call("read", { path: "k.txt", encoding: "ebcdic" })).toMatchObject({ code: "CALL_INVALID" });
  });

  it("reports type and size of a binary file", async () => {
    const bench = memoryBench({
      "p.bmp": bytesOf("BM\0\0\0\0\r\n\x1a\n\0\0\0\r"),
      "z.bin": bytesOf("a\0b\0c\x01\x02"),
    });
    expect((await bench.call<ReadData>("read", { path: "p.bmp" })).data).toMatchObject({
      kind: "image",
      mime: "image/bmp",
      sizeBytes: 14,
      text: "",
    });
    expect((await bench.call<ReadData>("read", { path: "z.bin" })).data).toMatchObject({
      kind: "binary",
      mime: "application/octet-stream",
    });
  });
});

describe("pictures", () => {
  const png = (width: number, height: number, more = 0) =>
    bytesOf(
      `\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0${String.fromCharCode(width >> 8, width & 255)}\0\0${String.fromCharCode(height >> 8, height & 255)}${"x".repeat(more)}`,
    );

  it("come as an image block, unless a provider would refuse them", async () => {
    const bench = memoryBench({
      "ok.png": png(640, 480),
      "wide.png": png(4_000, 10),
      "heavy.png": png(10, 10, 4_000_000),
    });
    const shown = await bench.call<ReadData>("read", { path: "ok.png" });
    expect(shown.content).toMatchObject([{ kind: "image", mime: "image/png" }]);
    for (const path of ["wide.png", "heavy.png"]) {
      const omitted = await bench.call<ReadData>("read", { path });
      expect(omitted.content).toEqual([]);
      expect(omitted.data).toMatchObject({ kind: "image", mime: "image/png" });
      expect(omitted.details?.notes).toMatchObject([expect.stringContaining("not shown")]);
    }
  });
});

describe("what cannot be read", () => {
  verifies("IR-061", "refuses a directory, a FIFO and a dangling symlink", async () => {
    const backend = createMemoryBackend({ files: { "directory/": "" } });
    backend.plant({ kind: "fifo", path: "/workspace/p.fifo" });
    backend.plant({ kind: "link", path: "/workspace/dead", target: "nowhere" });
    const bench = toolBench({ backend });
    expect(await bench.call("read", { path: "." })).toMatchObject({ isError: true, code: "FS_NOT_A_FILE" });
    expect(await bench.call("read", { path: "directory" })).toMatchObject({
      code: "FS_NOT_A_FILE",
      message: 'Did not read "directory": it is a directory.',
    });
    expect(await bench.call("read", { path: "p.fifo" })).toMatchObject({
      code: "FS_NOT_A_FILE",
      message: expect.stringContaining("FIFO"),
    });
    expect(await bench.call("read", { path: "dead" })).toMatchObject({ isError: true, code: "FS_NOT_FOUND" });
  });

  verifies("IP-010", "echoes the model's spelling of the path", async () => {
    const bench = memoryBench({ "a.txt": "x\n" });
    const { message, details } = await bench.call("read", { path: "./nope" });
    expect(message).toContain('"./nope"');
    expect(message).not.toContain("/workspace");
    expect(details?.path).toBe("./nope");
    expect((await bench.call<ReadData>("read", { path: "./a.txt" })).data?.path).toBe("./a.txt");
  });

  it("reports that an encoding is guessed, unless the caller named it", async () => {
    const bench = memoryBench({ "l.txt": Uint8Array.of(99, 97, 102, 0xe9, 10) });
    const read = async (more: object) => (await bench.call<ReadData>("read", { path: "l.txt", ...more })).data;
    expect(await read({})).toMatchObject({ text: "café\n", encoding: "windows-1252", isGuessed: true });
    expect((await read({ encoding: "windows-1252" }))?.isGuessed).toBeUndefined();
  });

  it("offers near names in the model's spelling", async () => {
    const bench = memoryBench({ "sub/Bob’s notes.txt": "hi\n", "sub/other.md": "x\n" });
    expect(await bench.call("read", { path: "sub/Bob's notes.txt" })).toMatchObject({
      code: "FS_NOT_FOUND",
      details: { near: ["sub/Bob’s notes.txt"] },
      message: expect.stringContaining('"sub/Bob\\u2019s notes.txt"'),
    });
  });

  it("reports a dangling symlink with its target, and does not suggest it for itself", async () => {
    const backend = createMemoryBackend();
    backend.plant({ kind: "link", path: `${backend.cwd}/gone`, target: "nowhere" });
    const failed = await toolBench({ backend }).call("read", { path: "gone" });
    expect(failed).toMatchObject({
      code: "FS_NOT_FOUND",
      message: 'Did not read "gone": it is a dangling symlink to "nowhere". Use another path, or restore its target.',
    });
    expect(failed.details?.near).toBeUndefined();
  });

  it("refuses an empty path, one with a NUL byte and one with half a character before it touches anything", async () => {
    const bench = memoryBench({ "a\ufffd": "another one" });
    for (const path of ["a\ud800", "\udc00/b"])
      expect(await bench.call("read", { path })).toMatchObject({ isError: true, code: "FS_BAD_PATH" });
    expect(await bench.call("read", { path: "ok.txt\0/../x" })).toMatchObject({ isError: true, code: "FS_BAD_PATH" });
    expect(await bench.call("read", { path: "" })).toMatchObject({ isError: true });
  });
});

describe("read-state", () => {
  verifies(["IR-065", "IR-022"], "records what was read, in the session and in the host's handle", async () => {
    const handle = new Map();
    const bench = memoryBench({ "a.txt": "hello\n" }, { framework: { readState: handle } });
    await bench.call("read", { path: "a.txt", limit: 1 });
    const record = handle.get("/workspace/a.txt");
    expect(record).toMatchObject({ size: 6, contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(Number.isInteger(record.mtimeMs)).toBe(true);
    expect(bench.session.readState.get(`${bench.backend.machine}:/workspace/a.txt`)).toEqual(record);
    await bench.call("read", { path: "missing" });
    expect(handle.size).toBe(1);
  });

  it("identifies a file by its real path, whatever symlink it was read through", async () => {
    const backend = createMemoryBackend({ files: { "a.txt": "one\n" } });
    backend.plant({ kind: "link", path: "/workspace/link", target: "a.txt" });
    const bench = toolBench({ backend });
    await bench.call("read", { path: "link" });
    expect(await bench.call("write", { path: "a.txt", content: "two\n" })).toMatchObject({ isError: false });
  });
});

describe("artifacts", () => {
  it("reads an artifact, and distinguishes an evicted one from an unknown one", async () => {
    const bench = memoryBench();
    const writer = await bench.session.artifacts.create({ what: "stdout" });
    await writer.write(new TextEncoder().encode(numbered(10)));
    await writer.end();
    const path = `artifact:${writer.id}`;
    expect((await bench.call<ReadData>("read", { path, offset: 4, limit: 1 })).data).toMatchObject({
      kind: "artifact",
      text: "line 4\n",
      totalLines: 10,
      path,
    });
    expect(await bench.call("read", { path: "artifact:none" })).toMatchObject({ code: "ARTIFACT_UNKNOWN" });
  });

  it("numbers lines after a gap from the end", async () => {
    const bench = memoryBench();
    const writer = await bench.session.artifacts.create({ what: "stdout" });
    await writer.write(new TextEncoder().encode(`${numbered(10)}${"x\n".repeat(2_000_000)}last 2\nlast 1\n`));
    await writer.end();
    const path = `artifact:${writer.id}`;
    expect((await bench.call<ReadData>("read", { path, limit: 1 })).data).toMatchObject({
      text: "line 1\n",
      totalLines: null,
    });
    expect((await bench.call<ReadData>("read", { path, offset: -2 })).data).toMatchObject({
      text: "last 2\nlast 1\n",
      startLine: -2,
      endLine: -1,
    });
  });
});
