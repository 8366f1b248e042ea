import { describe, expect, it } from "vitest";
import { fakeClock } from "../../testing/index.js";
import { createMemoryBackend } from "./index.js";

describe("the files in memory", () => {
  it("start as they are given, relative ones in the working directory, with their parents", async () => {
    const backend = createMemoryBackend({
      cwd: "/home/me/project",
      files: { "src/a.ts": "a", "/etc/conf": Uint8Array.of(1, 2), "empty/": "" },
    });
    const { fs } = backend.root;
    expect(await fs.readText("/home/me/project/src/a.ts")).toBe("a");
    expect([...(await fs.readBytes("/etc/conf"))]).toEqual([1, 2]);
    expect((await fs.readDir("/home/me/project")).children.map((child) => [child.name, child.kind])).toEqual([
      ["empty", "directory"],
      ["src", "directory"],
    ]);
    expect((await fs.stat("/tmp")).kind).toBe("directory");
  });

  it("have the times of the clock", async () => {
    const clock = fakeClock(5_000);
    const { fs } = createMemoryBackend({ clock }).root;
    await fs.writeFile("/tmp/a", "1");
    await clock.advance(250);
    await fs.writeFile("/tmp/b", "1");
    expect([(await fs.stat("/tmp/a")).modifiedMs, (await fs.stat("/tmp/b")).modifiedMs]).toEqual([5_000, 5_250]);
  });

  it("keep the identity of a file under its hard links and lose it with the last", async () => {
    const backend = createMemoryBackend();
    const { fs } = backend.root;
    await fs.writeFile("/tmp/a", "one");
    backend.plant({ kind: "hard-link", path: "/tmp/b", of: "/tmp/a" });
    await fs.rm("/tmp/a", { recursive: false, ignoreMissing: false });
    expect(await fs.readText("/tmp/b")).toBe("one");
    expect((await fs.replaceAtomic("/tmp/b", new Uint8Array(), "any")).inPlace).toBe(false);
  });

  it("name the place behind a file without any `..` of the symlink that leads there", async () => {
    const backend = createMemoryBackend({ files: { "/w/file": "x" } });
    const { fs } = backend.root;
    backend.plant({ kind: "link", path: "/w/link", target: "file/../../etc/it" });
    expect(await fs.resolve(["/w/link"])).toEqual([{ real: "/", missing: "etc/it", kind: "absent" }]);
    await expect(fs.readText("/w/link")).rejects.toMatchObject({ code: "FS_NOT_A_DIRECTORY" });
  });

  it("hash by the digest that is given", async () => {
    const { fs } = createMemoryBackend({ digest: (bytes) => `digest of ${bytes.length}` }).root;
    expect((await fs.replaceAtomic("/tmp/a", new Uint8Array(3), "any")).after).toBe("digest of 3");
  });

  it("refuse a name that is too long, a relative path and the root", async () => {
    const { fs } = createMemoryBackend().root;
    await expect(fs.writeFile(`/tmp/${"é".repeat(200)}`, "")).rejects.toMatchObject({ code: "FS_BAD_PATH" });
    await expect(fs.readText("tmp")).rejects.toMatchObject({ code: "FS_BAD_PATH" });
    await expect(fs.rm("/", { recursive: true, ignoreMissing: false })).rejects.toMatchObject({
      code: "FS_PERMISSION",
    });
    await expect(fs.rename("/", "/tmp/x", { replace: true })).rejects.toMatchObject({ code: "FS_PERMISSION" });
  });

  it("stay apart between two backends", async () => {
    const one = createMemoryBackend();
    const two = createMemoryBackend();
    await one.root.fs.writeFile("/tmp/a", "1");
    expect(await two.root.fs.exists("/tmp/a")).toBe(false);
  });

  it("replace with a hash that is judged against the bytes that are replaced, however many write at once", async () => {
    const { fs } = createMemoryBackend().root;
    await fs.writeFile("/tmp/count", "0");
    const add = async (): Promise<void> => {
      for (;;) {
        const old = await fs.readBytes("/tmp/count");
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", old as Uint8Array<ArrayBuffer>));
        const sha256 = Buffer.from(digest).toString("hex");
        const next = new TextEncoder().encode(String(Number(new TextDecoder().decode(old)) + 1));
        if (
          await fs.replaceAtomic("/tmp/count", next, { sha256 }).then(
            () => true,
            () => false,
          )
        )
          return;
      }
    };
    await Promise.all(Array.from({ length: 20 }, add));
    expect(await fs.readText("/tmp/count")).toBe("20");
  });
});
