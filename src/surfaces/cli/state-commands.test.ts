import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finished } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace();
const haft = (...args: readonly string[]): Promise<Finished> => place.inProcess(args);
const state = (...names: string[]): string => place.state(...names);

describe("haft audit", () => {
  it("lists the calls of all processes, or of one session, and the status of each result", async () => {
    await haft("call", "time", "{}", "--session", "one");
    await haft("call", "read", '{"path":"nope"}', "--session", "two");
    const all = await haft("audit");
    expect(all).toMatchObject({ status: 0, stderr: "haft: 2 calls; the audit log is intact.\n" });
    expect(all.stdout).toMatch(
      /^\d{4}-.* UTC {2}ok +time .*\n.* failed +read .*"two".*\{"path":"nope"\} {2}[0-9a-f]{12}-1\n$/,
    );
    expect((await haft("audit", "one")).stdout).toMatch(/^.*time.*\n$/);
    const { calls, problems } = JSON.parse((await haft("audit", "two", "--json")).stdout) as Record<string, unknown[]>;
    expect(problems).toEqual([]);
    expect(calls).toMatchObject([{ tool: "read", sessionId: "two", status: "failed", end: { code: "FS_NOT_FOUND" } }]);
    expect((await haft("audit", "three")).stderr).toMatch(/no audited calls of the session "three"/);
    const here = place.workspace;
    expect(all.stdout).toContain(`"two" in "${here}"`);
    expect((await haft("audit", "--in", ".")).stdout).toBe(all.stdout);
    expect(await haft("audit", "--in", "..")).toMatchObject({
      stdout: "",
      stderr: `haft: no audited calls in "${place.root}". \`haft audit\` lists those of all sessions.\n`,
    });
  });

  it("counts what the sessions of a directory ran on other targets, and lists it by session", async () => {
    const targets = ["--on", "local", "--on", "m=memory", "--session", "one"];
    await haft("call", "ls", "{}", ...targets);
    await haft("call", "ls", "on=m", ...targets);
    await haft("call", "ls", "{}", "--on", "memory", "--session", "two");
    // The workspace is mounted into a container of an image; it is not opened here.
    await haft("call", "ls", "{}", "--on", "image:none", "--session", "three");
    const listed = await haft("audit", "--in", ".");
    expect(listed.stdout.match(/"(?:one|two|three)"/g)).toEqual(['"one"', '"three"']);
    expect(listed.stderr).toBe(
      `haft: 2 calls in "${place.workspace}"; the audit log is intact. 1 more of the same sessions ran elsewhere: \`haft audit one\`.\n`,
    );
    expect((await haft("audit", "one")).stdout.match(/"one"/g)).toHaveLength(2);
    await haft("call", "ls", "{}", "--on", "memory=/far", "--session", "my own");
    expect(await haft("audit", "--in", "/far")).toMatchObject({
      status: 0,
      stdout: "",
      stderr:
        'haft: no audited calls in "/far". --in is for directories of this machine. In that of "memory": `haft audit \'my own\'`.\n',
    });
  });

  it("exits 1 and names file and line where the record was changed", async () => {
    await haft("call", "time", "{}");
    const [name = ""] = readdirSync(state("audit")).filter((one) => one.endsWith(".jsonl"));
    const text = readFileSync(state("audit", name), "utf8");
    writeFileSync(state("audit", name), text.replace('"tool":"time"', '"tool":"read"'));
    const done = await haft("audit");
    expect(done.status).toBe(1);
    expect(done.stderr).toBe(`haft: line 2 of ${name}: its content was changed\n`);
  });

  it("exits 1 and says what to do where a log was renamed, also for one session or directory", async () => {
    await haft("call", "time", "{}", "--session", "one");
    const [name = ""] = readdirSync(state("audit")).filter((one) => one.endsWith(".jsonl"));
    renameSync(state("audit", name), state("audit", "old-log"));
    const head = name.replace(/jsonl$/, "head");
    for (const filter of [[], ["one"], ["two"], ["--in", "."]]) {
      const done = await haft("audit", ...filter);
      expect(done).toMatchObject({ status: 1, stdout: "" });
      expect(done.stderr).toContain(
        `haft: ${head}: the log that belongs to it, ${name}, is missing from ${state("audit")}`,
      );
      expect(done.stderr).toContain("move it back under this name");
    }
    const { problems } = JSON.parse((await haft("audit", "one", "--json")).stdout) as { problems: unknown };
    expect(problems).toMatchObject([{ file: head }]);
    renameSync(state("audit", "old-log"), state("audit", name));
    expect(await haft("audit", "one")).toMatchObject({ status: 0 });
  });
});

describe("--state", () => {
  it("takes ~ as the home directory where no shell has", async () => {
    await haft("call", "time", "{}", "--state", "~/kept");
    expect(readdirSync(join(place.home, "kept"))).toContain("audit");
    expect(readdirSync(place.workspace)).toEqual([]);
    expect((await haft("audit", "--state", "~/kept")).stderr).toContain("1 call; the audit log is intact");
    expect((await haft("doctor", "--state", "~/kept")).stdout).toContain(join(place.home, "kept"));
  });
});

describe("haft token", () => {
  it("shows a token once, keeps its digest, lists its name, and takes it back", async () => {
    const added = await haft("token", "add", "laptop");
    expect(added).toMatchObject({ status: 0, stdout: expect.stringMatching(/^haft_[\w-]{43}\n$/) });
    expect(added.stderr).toContain("not shown again");
    expect(readFileSync(state("tokens.json"), "utf8")).not.toContain(added.stdout.trim());
    expect(statSync(state("tokens.json")).mode & 0o777).toBe(0o600);
    expect(await haft("token", "list")).toMatchObject({ status: 0, stdout: expect.stringContaining("laptop") });
    expect(JSON.parse((await haft("token", "list", "--json")).stdout)).toMatchObject([{ name: "laptop" }]);
    expect(await haft("token", "remove", "laptop")).toMatchObject({ status: 0, stdout: "" });
    expect(await haft("token", "list")).toMatchObject({ stdout: expect.stringContaining("haft token add NAME") });
  });

  it("refuses a name that has one, and one that is none, and says what to do", async () => {
    const { stdout } = await haft("token", "add", "laptop", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ name: "laptop", token: expect.any(String) });
    const again = await haft("token", "add", "laptop");
    expect(again).toMatchObject({ status: 2, stdout: "" });
    expect(again.stderr).toContain("haft token remove laptop");
    expect(await haft("token", "add", "../x")).toMatchObject({ status: 2, stderr: expect.stringContaining('"../x"') });
    const none = await haft("token", "remove", "desktop");
    expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining("laptop") });
  });
});

describe("haft sessions", () => {
  const items = [{ id: "1", text: "Write it", status: "pending" }];
  const plan = (session: string): Promise<Finished> =>
    haft("call", "todo_set", JSON.stringify({ items }), "--session", session);

  it("lists what is kept, and ends it by name", async () => {
    expect(await haft("sessions", "list")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^No stored sessions\./),
    });
    await plan("daily");
    const listed = await haft("sessions", "list");
    expect(listed.stdout).toMatch(/^daily\n {2}last used \d{4}-\d\d-\d\d \d\d:\d\d UTC; 1 todo item, \d+ B\n$/);
    const [daily] = JSON.parse((await haft("sessions", "list", "--json")).stdout) as Record<string, unknown>[];
    expect(daily).toMatchObject({ id: "daily", isTemporary: false, artifacts: 0, todoItems: 1, openIn: [] });
    expect(await haft("sessions", "end", "daily")).toMatchObject({ status: 0, stdout: "" });
    const none = await haft("sessions", "end", "daily");
    expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining("haft sessions list") });
    expect((await haft("call", "todo_read", "{}", "--session", "daily")).stdout).not.toContain("Write it");
  });

  it("removes what has been idle for the given time", async () => {
    await plan("daily");
    expect(JSON.parse((await haft("sessions", "clean", "--json")).stdout)).toEqual({ ended: [] });
    expect(await haft("sessions", "clean", "--idle", "0")).toMatchObject({ status: 0, stdout: "daily\n" });
    for (const idle of ["soon", "-1", ""])
      expect(await haft("sessions", "clean", `--idle=${idle}`)).toMatchObject({ status: 2 });
  });

  it("shows a name as it is, but for what a terminal would obey", async () => {
    await plan("\u001b[31mred");
    expect((await haft("sessions", "list")).stdout).toContain("\\x1b[31mred");
  });

  it("looks into the state directory that it is given", async () => {
    await plan("daily");
    const elsewhere = await haft("sessions", "list", "--state", join(place.root, "elsewhere"));
    expect(elsewhere.stdout).toMatch(/^No stored sessions\./);
    expect((await haft("sessions", "list", "--state", state())).stdout).toContain("daily");
  });
});
