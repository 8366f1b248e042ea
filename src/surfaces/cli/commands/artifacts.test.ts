import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finished } from "../../../testing/built.fixture.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";

const place = cliPlace();
const haft = (...args: readonly string[]): Promise<Finished> => place.inProcess(args);
const call = (tool: string, input: object, ...more: readonly string[]): Promise<Finished> =>
  haft("call", tool, JSON.stringify(input), ...more);
const project = (name: string): string => join(place.workspace, name);
const listed = async (): Promise<Record<string, unknown>[]> =>
  JSON.parse((await haft("artifacts", "list", "--json")).stdout);
const idOf = async (at: number): Promise<string> => String((await listed()).at(at)?.id);

describe("haft artifacts", () => {
  it("gives a deleted file back, byte for byte, whatever it holds", async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256));
    writeFileSync(project("data.bin"), bytes);
    expect(await call("delete", { path: "data.bin" })).toMatchObject({ status: 0 });
    expect(existsSync(project("data.bin"))).toBe(false);
    const id = await idOf(0);
    expect(await haft("artifacts", "export", id, "data.bin")).toEqual({
      status: 0,
      signal: null,
      stdout: "",
      stderr: `haft: wrote 100000 bytes of ${id} to "data.bin".\n`,
    });
    expect(readFileSync(project("data.bin")).equals(bytes)).toBe(true);
  });

  it("gives back what write and move have replaced, and every file of a deleted directory", async () => {
    writeFileSync(project("a.txt"), "first");
    await call("read", { path: "a.txt" });
    await call("write", { path: "a.txt", content: "second" });
    await call("write", { path: "b.txt", content: "third" });
    await call("move", { from: "b.txt", to: "a.txt", overwrite: true });
    mkdirSync(project("directory"));
    for (const name of ["x", "y"]) writeFileSync(project(`directory/${name}`), `in ${name}`);
    await call("delete", { path: "directory", recursive: true });
    const kept = await listed();
    expect(kept.map(({ what, tool }) => [tool, what])).toEqual([
      ["write", "the replaced bytes of a.txt"],
      ["move", "the replaced bytes of a.txt"],
      ["delete", "the deleted bytes of directory/x"],
      ["delete", "the deleted bytes of directory/y"],
    ]);
    const texts = await Promise.all(kept.map(async ({ id }) => (await haft("artifacts", "show", String(id))).stdout));
    expect(texts).toEqual(["first", "second", "in x", "in y"]);
  });

  it("lists those of all sessions or of one, and says where they come from when there is none", async () => {
    const none = await haft("artifacts", "list");
    expect(none).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.stringContaining("write, edit, move or delete"),
    });
    writeFileSync(project("a.txt"), "first");
    await call("delete", { path: "a.txt" }, "--session", "one");
    await call("bash", { command: "seq 100000" }, "--session", "two");
    const rows = (await haft("artifacts", "list")).stdout;
    expect(rows).toMatch(
      /^a-[0-9a-f]{12} {2}the deleted bytes of a\.txt\n {2}5 bytes; stored by delete; \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC; session "one"\na-/,
    );
    expect((await haft("artifacts", "list", "two")).stdout).toMatch(
      /^a-.*\n {2}588895 bytes; stored by bash; .*"two"\n$/,
    );
    expect((await haft("artifacts", "list", "three")).stderr).toMatch(/no artifacts of "three"/);
    expect(JSON.parse((await haft("artifacts", "list", "three", "--json")).stdout)).toEqual([]);
  });

  it("shows the whole or some lines, to a reader that may end early", async () => {
    await call("bash", { command: "seq 100000" });
    const { stdout } = await haft("artifacts", "show", "last");
    expect(createHash("sha256").update(stdout).digest("hex")).toBe(
      createHash("sha256")
        .update(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(""))
        .digest("hex"),
    );
    expect((await haft("artifacts", "show", "last", "--lines", "60000-60002")).stdout).toBe("60000\n60001\n60002\n");
    expect((await haft("artifacts", "show", "last", "--lines", "99999-")).stdout).toBe("99999\n100000\n");
    expect((await haft("artifacts", "show", `artifact:${await idOf(-1)}`, "--lines", "7")).stdout).toBe("7\n");
    for (const range of ["0", "5-3", "x", "-3"])
      expect(await haft("artifacts", "show", "last", `--lines=${range}`)).toMatchObject({ status: 2, stdout: "" });
  });

  it("replaces no file without the option, and leaves nothing half done", async () => {
    writeFileSync(project("a.txt"), "old words");
    await call("delete", { path: "a.txt" });
    writeFileSync(project("a.txt"), "precious");
    chmodSync(project("a.txt"), 0o750);
    const refused = await haft("artifacts", "export", "last", "a.txt");
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("--force") });
    expect(readFileSync(project("a.txt"), "utf8")).toBe("precious");
    expect(await haft("artifacts", "export", "last", "a.txt", "--force")).toMatchObject({ status: 0 });
    expect(readFileSync(project("a.txt"), "utf8")).toBe("old words");
    expect(statSync(project("a.txt")).mode & 0o777).toBe(0o750);
    const nowhere = await haft("artifacts", "export", "last", "nowhere/a.txt");
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining("Create it first") });
    expect(await haft("artifacts", "export", "last", ".", "--force")).toMatchObject({ status: 1 });
    expect(readdirSync(place.workspace)).toEqual(["a.txt"]);
  });

  it("removes one for good with its bytes, and names what it does not know", async () => {
    writeFileSync(project("a.txt"), "secret words");
    await call("delete", { path: "a.txt" }, "--session", "one");
    const id = await idOf(0);
    const removed = await haft("artifacts", "remove", id, "a-000000000000", "--json");
    expect(removed).toMatchObject({ status: 1, stdout: `{"removed":["${id}"]}\n` });
    expect(removed.stderr).toContain('did not delete "a-000000000000": no such artifact');
    const directory = place.state("sessions", "one", "artifacts");
    expect(readdirSync(directory)).toEqual([]);
    expect((await call("read", { path: `artifact:${id}` }, "--session", "one")).stdout).toContain("no such artifact");
    for (const command of [
      ["show", id],
      ["export", id, "b.txt"],
      ["show", "last"],
      ["show", "../one"],
    ])
      expect(await haft("artifacts", ...command)).toMatchObject({ status: 1, stdout: "" });
  });

  it("reports one that was evicted by newer ones, and escapes control characters in its name", async () => {
    writeFileSync(join(place.home, "haft.jsonc"), '{ "artifacts": { "quotaMiB": 1 } }');
    const config = ["--config", join(place.home, "haft.jsonc")];
    writeFileSync(project("a\u001b[31m.txt"), "old words");
    await call("delete", { path: "a\u001b[31m.txt" }, ...config);
    const id = await idOf(0);
    expect((await haft("artifacts", "list")).stdout).toContain("the deleted bytes of a\\x1b[31m.txt");
    await call("bash", { command: "head -c 1500000 /dev/zero" }, ...config);
    const gone = await haft("artifacts", "show", id);
    expect(gone).toMatchObject({ status: 1, stderr: expect.stringContaining("evicted by newer artifacts") });
  });
});
