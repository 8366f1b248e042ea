import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliPlace } from "../../../testing/cli-place.fixture.js";
import { userName } from "../terminal-approver.js";

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
    await place.inProcess(["call", "write", "path=b.txt", "content=b"], { cwd: other });
    expect(await haft("undo", "call-1")).toMatchObject({ status: 1, stdout: "" });
    expect(await haft("undo")).toMatchObject({
      stdout: expect.stringMatching(/^No changes .* `haft undo --all` also lists 1 elsewhere\.\n$/),
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
    expect((await haft("sessions", "end", "trial")).stderr).toContain(
      "2 calls of it that changed files can be undone with `haft undo --session trial`",
    );
    const planned = await haft("undo", "--session", "trial", "--dry-run");
    expect(planned.stderr).toContain("Without --dry-run, 2 calls are undone.");
    expect(await haft("undo", "--session", "trial")).toMatchObject({ status: 0 });
    expect(text("a.txt")).toBe("one\n");
    rmSync(at("a.txt"));
  });

  it("does not take the last call here for the last one where the session has changed a file on another target since", async () => {
    const other = join(place.root, "elsewhere");
    mkdirSync(other);
    const both = ["--session", "two", "--on", "local", "--on", `there=posix:sh=${other}`];
    await haft("call", "write", "path=here.txt", "content=a", ...both);
    await haft("call", "write", "path=there.txt", "content=b", "on=there", ...both);
    const { calls } = JSON.parse((await haft("undo", "--all", "--json")).stdout);
    const refused = await haft("undo", "--last");
    expect([refused.status, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(
      `it is "${calls[0].id}" (write), on "there" in ${other}. The last one in this workspace is "${calls[1].id}".`,
    );
    expect(await haft("undo", calls[0].id)).toMatchObject({ status: 0 });
    expect([existsSync(join(other, "there.txt")), text("here.txt")]).toEqual([false, "a"]);
    expect(await haft("undo", "--last")).toMatchObject({ status: 0 });
    expect(text("here.txt")).toBeUndefined();
  });

  it("names damaged records, and does not take the call before one for the last", async () => {
    await haft("call", "write", "path=a.txt", "content=a");
    await haft("call", "write", "path=b.txt", "content=b");
    const { calls } = JSON.parse((await haft("undo", "--json")).stdout);
    const [{ id: last }, { id: first }] = calls;
    writeFileSync(place.state("undo", last, "log.jsonl"), "\0\0\0\n");
    const listed = await haft("undo");
    expect(listed.stdout).toContain("write a.txt");
    expect(listed.stderr).toContain(`1 record cannot be read: ${last}. What this call changed cannot be undone.`);
    expect(await haft("undo", "--last")).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining(
        `its record may be "${last}", which cannot be read. The one before is "${first}".`,
      ),
    });
    expect(await haft("undo", first)).toMatchObject({ status: 0 });
    expect([text("a.txt"), text("b.txt")]).toEqual([undefined, "b"]);
  });

  it("names the call before the last one, where the last one cannot be undone", async () => {
    for (const name of ["a.txt", "b.txt"]) writeFileSync(at(name), "old\n");
    await haft("call", "edit", "path=a.txt", "oldText=old", "newText=new");
    await haft("call", "edit", "path=b.txt", "oldText=old", "newText=new");
    const { calls } = JSON.parse((await haft("undo", "--json")).stdout);
    const [{ id: last }, { id: first }] = calls;
    const next = `the call before it can be undone with \`haft undo ${first}\`: edit a.txt (changed, +1 −1).`;
    writeFileSync(at("b.txt"), "mine\n");
    expect(await haft("undo", "--last")).toMatchObject({ status: 1, stderr: expect.stringContaining(next) });
    writeFileSync(at("b.txt"), "new\n");
    rmSync(place.state("undo", last, "old"));
    const refused = await haft("undo", "--last");
    expect(refused).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(next) });
    expect(refused.stderr).toMatch(
      /Did not undo "\S+" \(edit\): the stored old bytes of ".*b\.txt" are gone or damaged\./,
    );
    expect([text("a.txt"), text("b.txt")]).toEqual(["new\n", "new\n"]);
    expect(await haft("undo", first)).toMatchObject({ status: 0 });
    expect(text("a.txt")).toBe("old\n");
    expect((await haft("undo", "--last")).stderr).not.toContain("the call before it");
  });

  it("says in the audit log who undid, and forgets what a session changed", async () => {
    await haft("call", "write", "path=a.txt", "content=a", "--session", "trial");
    await haft("undo", "--last");
    const audited = JSON.parse((await haft("audit", "trial", "--json")).stdout);
    const [undone] = audited.calls.filter((call: { begin: { tool: string } }) => call.begin.tool === "undo");
    expect(undone.end.approver).toBe(userName());
    expect(await haft("sessions", "end", "trial", "--forget-changes")).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("deleted the old contents of 2 calls that changed files. They cannot be undone."),
    });
    expect((await haft("undo")).stdout).toMatch(/^No changes are stored\./);
  });
});
