import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliPlace } from "../../../testing/cli-place.fixture.js";

describe("haft undo", () => {
  const place = cliPlace();
  const haft = (...args: readonly string[]) => place.inProcess(args);
  const at = (name: string) => join(place.workspace, name);
  const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined);

  it("says what there is to undo when there is nothing", async () => {
    const listed = await haft("undo");
    expect(listed).toMatchObject({ status: 0, stderr: "" });
    expect(listed.stdout).toMatch(/^No changes are stored\. /);
    const refused = await haft("undo", "--last");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain(
      "Did not undo the last call: no change of a file in this workspace is stored that is not undone.",
    );
    expect((await haft("undo", "--dry-run")).status).toBe(2);
    expect((await haft("undo", "x", "--last")).status).toBe(2);
  });

  it("lists the calls, shows what would change, undoes the last one and redoes it", async () => {
    writeFileSync(at("a.txt"), "one\ntwo\n");
    await haft("call", "edit", "path=a.txt", "oldText=two", "newText=2");
    await haft("call", "write", "path=new/b.txt", "content=b");
    const listed = await haft("undo");
    expect(listed.stdout).toMatch(
      /^\S+ {2}write new\/b\.txt \(created, \+1\)\n {2}.* UTC; session .*\n\S+ {2}edit a\.txt \(changed, \+1 −1\)\n/,
    );
    const planned = await haft("undo", "--last", "--dry-run");
    expect(planned.stdout).toContain("would remove new/b.txt\n--- ");
    expect(text("new/b.txt")).toBe("b");
    expect(await haft("undo", "--last")).toMatchObject({ status: 0, stdout: "removed new/b.txt\n" });
    expect(existsSync(at("new"))).toBe(false);
    const undone = await haft("undo", "--last");
    expect(text("a.txt")).toBe("one\ntwo\n");
    const [, id = ""] = /`haft undo (\S+)` redoes it/.exec(undone.stderr) ?? [];
    expect(await haft("undo", id)).toMatchObject({ status: 0, stdout: "restored a.txt\n" });
    expect(text("a.txt")).toBe("one\n2\n");
    const report = JSON.parse((await haft("undo", "--last", "--dry-run", "--json")).stdout);
    expect(report).toMatchObject({ status: "planned", files: [{ did: "restored" }], conflicts: [], lost: [] });
  });

  it("takes the id of a call for one in this workspace alone, and only if it is that of one call", async () => {
    const other = join(place.home, "other");
    mkdirSync(other);
    await haft("call", "write", "path=b.txt", "content=b", "--workspace", other);
    expect(await haft("undo", "call-1")).toMatchObject({ status: 1, stdout: "" });
    expect(await haft("undo")).toMatchObject({
      stdout: expect.stringMatching(/^No changes .* `haft undo --all` also lists 1 in other workspaces\.\n$/),
    });
    expect((await haft("undo", "--all")).stdout).toMatch(/^(\S+) {2}write .*b\.txt/);
    await haft("call", "write", "path=a.txt", "content=a");
    await haft("call", "write", "path=c.txt", "content=c");
    expect(await haft("undo", "call-1")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/2 calls in this workspace have this id\. Give one of \S+, \S+\. /),
    });
    const {
      calls: [{ id }],
    } = JSON.parse((await haft("undo", "--json", "--workspace", other)).stdout);
    expect(await haft("undo", id)).toMatchObject({ status: 0 });
    expect([existsSync(join(other, "b.txt")), text("a.txt"), text("c.txt")]).toEqual([false, "a", "c"]);
    expect((await haft("undo", "call-1", "--all")).status).toBe(2);
  });

  it("does nothing to a file that has changed since, and prints the difference", async () => {
    writeFileSync(at("a.txt"), "one\n");
    await haft("call", "write", "path=a.txt", "content=two", "--gate", "off");
    writeFileSync(at("a.txt"), "three\n");
    const refused = await haft("undo", "--last");
    expect(refused.status).toBe(1);
    expect(refused.stdout).toContain(`${at("a.txt")} was changed since.\n`);
    expect(refused.stdout).toContain("-three\n+one\n");
    expect(refused.stderr).toContain("what it changed has changed since, and nothing was done");
    expect(text("a.txt")).toBe("three\n");
  });

  it("undoes a session, ended or not, on the target where its calls ran", async () => {
    writeFileSync(at("a.txt"), "one\n");
    await haft("call", "edit", "path=a.txt", "oldText=one", "newText=1", "--session", "trial", "--on", "posix:sh");
    await haft("call", "delete", "path=a.txt", "--session", "trial");
    await haft("sessions", "end", "trial");
    const planned = await haft("undo", "--session", "trial", "--dry-run");
    expect(planned.stderr).toContain("Without --dry-run, 2 calls are undone.");
    expect(await haft("undo", "--session", "trial")).toMatchObject({ status: 0 });
    expect(text("a.txt")).toBe("one\n");
    rmSync(at("a.txt"));
  });
});
