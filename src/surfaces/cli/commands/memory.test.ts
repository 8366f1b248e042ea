import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliPlace } from "../../../testing/cli-place.fixture.js";
import { entryFileName, entryText, parseEntry } from "./memory/entry-file.js";

const place = cliPlace();
const haft = (...args: readonly string[]) => place.inProcess(args);
const store = (note: object) => haft("call", "memory_store", JSON.stringify(note));

describe("haft memory", () => {
  it("says what to do where nothing is remembered", async () => {
    const { status, stdout, stderr } = await haft("memory", "list");
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toContain(
      "nothing is remembered. A model does it with the tool memory_store: `haft call memory_store",
    );
    expect((await haft("memory", "show", "k")).stderr).toBe(
      'haft: no note has the key "k". `haft memory list` lists them.\n',
    );
  });

  it("lists, shows and forgets notes, and prints the history of one", async () => {
    await store({ key: "deploys", content: "on Mondays" });
    await store({ key: "deploys", content: "on Tuesdays,\nbefore noon", tags: ["ops", "web"] });
    await store({ key: "standup", content: "at nine", category: "daily" });
    const list = await haft("memory", "list");
    expect(list.stdout.split("\n")).toEqual([
      expect.stringMatching(/^deploys\tcore\tops,web\t[\d-]+ [\d:]+ UTC\ton Tuesdays,$/),
      expect.stringMatching(/^standup\tdaily\t\t[\d-]+ [\d:]+ UTC\tat nine$/),
      "",
    ]);
    expect((await haft("memory", "list", "--category", "daily")).stdout).toMatch(/^standup\t.*\n$/);
    expect((await haft("memory", "show", "deploys")).stdout).toBe("on Tuesdays,\nbefore noon\n");
    const history = JSON.parse((await haft("memory", "history", "deploys", "--json")).stdout) as { content: string }[];
    expect(history.map(({ content }) => content)).toEqual(["on Tuesdays,\nbefore noon", "on Mondays"]);
    const forgotten = await haft("memory", "forget", "standup", "none");
    expect(forgotten.status).toBe(1);
    expect(forgotten.stderr).toMatch(/forgot "standup".*\n.*no note has the key "none"/);
    expect((await haft("memory", "list")).stdout).toMatch(/^deploys\t.*\n$/);
  });

  it("shows on a terminal a table, without what the terminal would obey", async () => {
    await store({ key: "k", content: "a\u001b[2Jb", tags: ["t"] });
    const { stdout } = await place.inProcess(["memory", "list"], { isTerminal: true });
    expect(stdout).toMatch(/k +.*core {2}#t {2}\d{4}-/);
    expect(stdout).not.toContain("\u001b[2J");
    expect((await place.inProcess(["memory", "show", "k"], { isTerminal: true })).stdout).not.toContain("\u001b[2J");
  });

  it("exports to Markdown, from which an import makes the same notes", async () => {
    await store({ key: "../../etc/passwd", content: "---\nnot facts\n---\n", category: "daily" });
    await store({ key: "日本", content: "京都\n", tags: ['a"b', "c"] });
    expect(await haft("memory", "export", "notes")).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('exported 2 notes to "notes"'),
    });
    const names = readdirSync(join(place.workspace, "notes"));
    expect(names.toSorted()).toEqual([
      expect.stringMatching(/^etc-passwd\.\w{10}\.md$/),
      expect.stringMatching(/^日本\.\w{10}\.md$/),
    ]);
    expect((await haft("memory", "export", "notes")).stderr).toContain("2 of the files exist already");
    expect((await haft("memory", "export", "notes", "--force")).status).toBe(0);
    const before = (await haft("memory", "list", "--json")).stdout;
    expect((await haft("memory", "import", "notes")).stderr).toContain("imported 0 notes; 2 were stored already.");
    await haft("memory", "forget", "日本", "../../etc/passwd");
    expect((await haft("memory", "import", "notes")).stderr).toBe("haft: imported 2 notes.\n");
    const after = (await haft("memory", "list", "--json")).stdout;
    const withoutIds = (json: string) => (JSON.parse(json) as object[]).map((one) => ({ ...one, id: "" }));
    expect(withoutIds(after)).toEqual(withoutIds(before));
  });

  it("imports nothing where one file is not a note, and says which and why", async () => {
    mkdirSync(join(place.workspace, "notes"));
    writeFileSync(join(place.workspace, "notes", "good.md"), "---\nkey: typed by hand\n---\nhello\n");
    writeFileSync(join(place.workspace, "notes", "bad.md"), "# Only text\n");
    const { status, stderr } = await haft("memory", "import", "notes");
    expect(status).toBe(1);
    expect(stderr).toContain('notes/bad.md" is not a note: it does not begin with facts between two lines of "---".');
    expect(stderr).toContain("imported nothing: 1 of 2 files cannot be imported.");
    expect((await haft("memory", "import", "notes/good.md")).status).toBe(0);
    expect((await haft("memory", "show", "typed by hand")).stdout).toBe("hello\n");
    expect((await haft("memory", "import", "nowhere")).status).toBe(2);
  });

  it("imports nothing where one note cannot be stored", async () => {
    mkdirSync(join(place.workspace, "notes"));
    writeFileSync(join(place.workspace, "notes", "a.md"), "---\nkey: good\n---\nhello\n");
    writeFileSync(join(place.workspace, "notes", "b.md"), `---\nkey: ${"k".repeat(300)}\n---\nhello\n`);
    const { status, stderr } = await haft("memory", "import", "notes");
    expect(status).toBe(1);
    expect(stderr).toMatch(/notes\/b\.md" cannot be stored: .*its key has 300 characters/);
    expect(stderr).toContain("imported nothing: 1 of 2 files cannot be imported.");
    expect((await haft("memory", "list")).stdout).toBe("");
  });

  it("takes secrets out of what is stored and imported, the category too, and exports for the user alone", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    await store({ key: "k", content: "x", category: secret });
    writeFileSync(join(place.workspace, "n.md"), `---\nkey: n\ntags: ["${secret}"]\n---\nThe token is ${secret}.\n`);
    writeFileSync(join(place.workspace, "own.md"), "---\nkey: own\n---\nThe password is tulip-and-rose-9.\n");
    const env = { APP_PASSWORD: "tulip-and-rose-9" };
    writeFileSync(join(place.workspace, "user.jsonc"), '{ "env": ["APP_PASSWORD"] }');
    const imported = await place.inProcess(["memory", "import", "n.md", "own.md", "--config", "user.jsonc"], { env });
    expect(imported.stderr).toContain("imported 2 notes");
    expect((await haft("memory", "export", "notes")).status).toBe(0);
    const directory = join(place.workspace, "notes");
    const files = readdirSync(directory).map((name) => join(directory, name));
    expect(files).toHaveLength(3);
    const texts = files.map((file) => readFileSync(file, "utf8")).join("");
    expect(texts).not.toContain(secret);
    expect(texts).not.toContain("tulip");
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  });

  it("looks after the notes of one client of a server", async () => {
    await store({ key: "mine", content: "x" });
    const unknown = await haft("memory", "list", "--owner", "ada");
    expect(unknown).toMatchObject({ status: 0, stdout: "" });
    expect(unknown.stderr).toContain('the client "ada" has no notes. No token has this name; no client has a token.');
    await haft("token", "add", "bob");
    expect((await haft("memory", "list", "--owner", "ada")).stderr).toContain("clients with a token: bob.");
    expect((await haft("memory", "list", "--owner", "bob")).stderr).toContain(
      "It stores them with the tool memory_store",
    );
    expect((await haft("memory", "show", "mine", "--owner", "bob")).stderr).toContain(
      'no note of the client "bob" has the key "mine". `haft memory list --owner bob`',
    );
  });

  it("counts one note as one, and its help names all commands and collections", async () => {
    await store({ key: "mine", content: "x" });
    expect((await haft("memory", "export", "notes")).stderr).toContain("exported 1 note to");
    expect((await haft("memory", "import", "notes")).stderr).toContain("imported 0 notes; 1 was stored already.");
    expect((await haft("--help")).stdout).toMatch(/list, show, history,\s+forget, export, import/);
    for (const command of ["serve", "tools"])
      expect((await haft(command, "--help")).stdout.replace(/\s+/g, " ")).toContain("memory, schedules, all");
    expect((await haft("tools", "memory_recall")).stdout).toMatch(/\$ haft call memory_recall query=\w+/);
  });
});

describe("an entry as a file", () => {
  it("holds every content and fact exactly", () => {
    const known = {
      id: "i",
      key: "k: #1\u2028",
      category: "own",
      tags: ["a, b"],
      storedMs: 1_700_000_000_123,
      pinned: true,
    };
    for (const content of [
      "plain",
      "\n",
      "a\n\n",
      "---\nkey: x\n---\n",
      "NUL \0",
      "lone \ud800",
      "crlf\r\n",
      "x".repeat(65_536),
    ]) {
      const entry = { ...known, content, session: "s", importance: 0.25 };
      const { id: _, ...expected } = entry;
      expect(parseEntry(Buffer.from(entryText(entry)).toString())).toEqual(expected);
    }
  });

  it("has a name that differs for each key, whatever the file system ignores", () => {
    const keys = ["a", "A", "é", "e\u0301", "", "..", "a/b", "a b", "x".repeat(256), "CON"];
    const names = keys.map(entryFileName);
    expect(new Set(names.map((name) => name.normalize("NFC").toLowerCase())).size).toBe(keys.length);
    for (const name of names) expect(name).toMatch(/^[\p{L}\p{N}_-]{1,60}\.[0-9a-f]{10}\.md$/u);
  });
});
