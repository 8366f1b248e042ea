import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileLocks } from "./file-locks.js";
import { fileName, fileStore } from "./file-store.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-store-")));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

describe("documents by files", () => {
  it("gives undefined for a missing document and makes nothing by reading", async () => {
    const store = fileStore(state, ["notes"], fileLocks(state));
    expect(await store.get("a")).toBeUndefined();
    expect(existsSync(join(state.path, "notes"))).toBe(false);
  });

  it("writes one JSON file a key, and removes it for undefined", async () => {
    const store = fileStore(state, ["notes"], fileLocks(state));
    await store.update("a", () => ({ count: 1 }));
    expect(JSON.parse(readFileSync(join(state.path, "notes", "a.json"), "utf8"))).toEqual({ count: 1 });
    await store.update("a", () => undefined);
    expect(readdirSync(join(state.path, "notes"))).toEqual([]);
    await store.update("a", () => undefined);
  });

  it("adds up the changes of two stores over one directory", async () => {
    const stores = [fileStore(state, ["n"], fileLocks(state)), fileStore(state, ["n"], fileLocks(state))];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => stores[index % 2]?.update("sum", (old) => Number(old ?? 0) + 1)),
    );
    expect(await stores[0]?.get("sum")).toBe(40);
  });

  it("keeps the old document when the change throws", async () => {
    const store = fileStore(state, ["notes"], fileLocks(state));
    await store.update("a", () => "old");
    const broken = store.update("a", () => {
      throw new Error("no");
    });
    await expect(broken).rejects.toThrow("no");
    expect(await store.get("a")).toBe("old");
    expect(readdirSync(join(state.path, "notes"))).toEqual(["a.json"]);
  });

  it("names a file that holds not JSON", async () => {
    const store = fileStore(state, ["notes"], fileLocks(state));
    await store.update("a", () => 1);
    writeFileSync(join(state.path, "notes", "a.json"), "{");
    await expect(store.get("a")).rejects.toMatchObject({ code: "STORE_CONFLICT" });
  });

  it("reports when it cannot be written", async () => {
    writeFileSync(join(state.path, "notes"), "in the way");
    const store = fileStore(state, ["notes"], fileLocks(state));
    await expect(store.update("a", () => 1)).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
  });

  it("gives every key a file of its own inside its directory", () => {
    const keys = ["a", "A", "a/b", "../x", ".hidden", "", "a%2fb", "x".repeat(400), "x".repeat(401), "ä", "%h"];
    const names = keys.map(fileName);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(keys.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_%-][a-z0-9_.%-]{0,199}$/);
  });
});
