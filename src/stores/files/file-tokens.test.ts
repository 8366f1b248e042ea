import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileLocks } from "./file-locks.js";
import { fileTokens, type TokenStore } from "./file-tokens.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-tokens-")));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const tokens = (): TokenStore => fileTokens(state, fileLocks(state), () => 5);
const path = (): string => join(state.path, "tokens.json");

describe("the tokens of clients", () => {
  it("let in whoever has one, also where another process added it meanwhile", async () => {
    const server = tokens();
    expect(await server.holderOf("anything")).toBeUndefined();
    const laptop = await tokens().add("laptop");
    expect(await server.holderOf(laptop)).toBe("laptop");
    const editor = await tokens().add("editor");
    expect(await server.holderOf(editor)).toBe("editor");
    expect(editor).not.toBe(laptop);
    expect(await tokens().list()).toEqual([
      { name: "editor", createdMs: 5 },
      { name: "laptop", createdMs: 5 },
    ]);
    for (const wrong of ["", laptop.slice(0, -1), `${laptop}x`, "laptop", laptop.toUpperCase()])
      expect(await server.holderOf(wrong)).toBeUndefined();
  });

  it("are on disk as a digest, for the user alone", async () => {
    const token = await tokens().add("laptop");
    expect(token).toMatch(/^haft_[\w-]{43}$/);
    expect(readFileSync(path(), "utf8")).not.toContain(token.slice(5, 15));
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });

  it("are rejected once they are removed", async () => {
    const server = tokens();
    const token = await server.add("laptop");
    expect(await server.holderOf(token)).toBe("laptop");
    expect(await tokens().remove("laptop")).toBe(true);
    expect(await tokens().remove("laptop")).toBe(false);
    expect(await server.holderOf(token)).toBeUndefined();
    expect(await server.add("laptop")).not.toBe(token);
  });

  it("are one for each name", async () => {
    await tokens().add("laptop");
    await expect(tokens().add("laptop")).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    for (const name of ["", "a b", "../x", "-rf", "x".repeat(65), "a\nb"])
      await expect(tokens().add(name)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("add up when many are added at once", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    await Promise.all(names.map((name) => tokens().add(name)));
    expect((await tokens().list()).map(({ name }) => name)).toEqual(names);
  });

  it("are rejected if their file is damaged, which a listing reports", async () => {
    const token = await tokens().add("laptop");
    for (const content of ["{", '{"tokens":[{"name":"laptop"},null,7]}', "[]", "null"]) {
      writeFileSync(path(), content);
      expect(await tokens().holderOf(token)).toBeUndefined();
    }
    writeFileSync(path(), '{"tokens":[{"name":"laptop","digest":"x","createdMs":1e300}]}');
    expect(await tokens().list()).toEqual([]);
    writeFileSync(path(), "{");
    await expect(tokens().list()).rejects.toMatchObject({ code: "STORE_CONFLICT" });
  });

  it("are not taken for removed while their file cannot be read", async () => {
    const server = tokens();
    const token = await server.add("laptop");
    renameSync(path(), `${path()}.aside`);
    mkdirSync(path());
    await expect(server.holderOf(token)).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    await expect(server.holderOf(token)).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    rmSync(path(), { recursive: true });
    renameSync(`${path()}.aside`, path());
    expect(await server.holderOf(token)).toBe("laptop");
  });
});
