import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { type Backend, type GrepQuery, HaftError, type SearchEnd } from "../../../kernel/index.js";
import { realClock } from "../../../testing/conform.fixture.js";
import { bindAll } from "../../../testing/index.js";
import { PosixMachine } from "../machine.fixture.js";
import { ARGV, underOneShell } from "../shells.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

underOneShell((shell) => {
  let machine: PosixMachine;
  let backend: Backend;
  beforeAll(async () => {
    machine = new PosixMachine(shell);
    backend = await machine.open();
  });
  afterAll(async () => {
    await backend.close();
    machine.dispose();
  });
  let directory: string;
  let round = 0;
  beforeEach(() => {
    round += 1;
    directory = join(machine.work, `hostile-${round}`);
    mkdirSync(directory);
  });

  async function grep(source: string, query: Partial<GrepQuery> = {}, on = backend) {
    const files: string[] = [];
    let end: SearchEnd | undefined;
    const { search } = bindAll({ backend: on, clock: realClock });
    for await (const record of search.grep({
      root: directory,
      includeIgnored: false,
      prune: [],
      order: "path",
      offset: 0,
      limit: 100_000,
      mode: "files",
      context: 0,
      maxLineBytes: 200,
      binary: "any-nul",
      pattern: { source, syntax: "literal", ignoreCase: false, multiline: false },
      ...query,
    })) {
      if (record.kind === "end") end = record;
      else files.push(record.path.slice(directory.length + 1));
    }
    return { files, end: end! };
  }

  it("a file shorter than its reported size is read to its end, without a foreign byte", async () => {
    const path = "/sys/kernel/mm/transparent_hugepage/enabled";
    const whole = readFileSync(path, "utf8");
    const { fs } = backend.root;
    expect((await fs.stat(path)).size).toBeGreaterThan(whole.length);
    expect(await fs.readText(path)).toBe(whole);
    expect(Buffer.from((await fs.readRange(path, 2, 4_000)).bytes).toString()).toBe(whole.slice(2));
    expect(Buffer.from((await fs.readRange(path, 0, 3)).bytes).toString()).toBe(whole.slice(0, 3));
  });

  it("a file that reports size 0 and has content is read whole", async () => {
    const whole = readFileSync("/proc/version", "utf8");
    const { fs } = backend.root;
    expect(await fs.readText("/proc/version")).toBe(whole);
    expect(Buffer.from((await fs.readRange("/proc/version", 6, 7)).bytes).toString()).toBe(whole.slice(6, 13));
    const chunks: Uint8Array[] = [];
    for await (const chunk of fs.openRead("/proc/version")) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(whole);
    const tooMuch = await fs.readBytes("/proc/version", { maxBytes: 5 }).catch((thrown: unknown) => thrown);
    expect(HaftError.is(tooMuch, "FS_TOO_LARGE")).toBe(true);
  });

  it("a number that no shell can count with costs no connection", async () => {
    const { fs, shell: commands } = backend.root;
    const path = join(directory, "digits");
    await fs.writeFile(path, "0123456789");
    const range = async (offset: number, length: number) =>
      Buffer.from((await fs.readRange(path, offset, length)).bytes).toString();
    expect(await range(1.5, 2.5)).toBe("12");
    expect(await range(Number.NaN, 2)).toBe("01");
    expect(await range(1e21, 2)).toBe("");
    expect(await range(-1e21, 2)).toBe("01");
    expect(await range(8, Number.POSITIVE_INFINITY)).toBe("89");
    expect(await range(0, Number.NaN)).toBe("");
    expect((await fs.readDir(directory, { limit: 1.5 })).children.length).toBe(1);
    expect((await fs.readDir(directory, { limit: Number.POSITIVE_INFINITY })).children.length).toBe(1);
    expect((await fs.readBytes(path, { maxBytes: Number.NaN })).length).toBe(10);
    const pid = async () => (await commands.exec("echo $PPID", { cwd: directory })).exit;
    expect(await pid()).toEqual({ by: "code", code: 0 });
  });

  it("a name that is not UTF-8 is listed, cannot be opened, and is not taken for another entry", async () => {
    execFileSync("sh", [
      "-c",
      `cd "$0"; for n in 'n\\377' 'm\\376'; do echo needle >"$(printf "$n")"; done
       ln -s "$(printf 'n\\377')" "$(printf 'l\\376')"; ln -s "$(printf 'b\\377\\377\\377')" odd
       ln -s a okl; echo needle >good; mkdir "$(printf 'd\\377')"`,
      directory,
    ]);
    const reported = async (limit: number) => {
      const { children, more } = await backend.root.fs.readDir(directory, { limit });
      return [more, children.map(({ name, kind, target }) => [name, kind, target])];
    };
    const all = [
      ["d\uFFFD", "other", undefined],
      ["good", "file", undefined],
      ["l\uFFFD", "other", undefined],
      ["m\uFFFD", "other", undefined],
      ["n\uFFFD", "other", undefined],
      ["odd", "link", "b\uFFFD\uFFFD\uFFFD"],
      ["okl", "link", "a"],
    ];
    expect(await reported(10)).toEqual([false, all]);
    expect(await reported(3)).toEqual([true, all.slice(0, 3)]);
    // ripgrep reports only those that match.
    const own = await machine.open({ useRipgrep: false });
    const { files, end } = await grep("needle", {}, own);
    await own.close();
    expect([files, end.skipped]).toEqual([["good"], { unreadable: 3 }]);
    expect((await grep("needle")).files).toEqual(["good"]);
  });

  it("a mark at the beginning of what is missing is part of its name", async () => {
    expect(await backend.root.fs.resolve([join(directory, "\uFEFFname")])).toEqual([
      { real: directory, missing: "\uFEFFname", kind: "absent" },
    ]);
  });

  it("files that the system fails to read, or that have no end, are reported as unreadable and never as empty", async () => {
    for (const file of ["/proc/kmsg", "/proc/self/clear_refs"]) {
      const read = await backend.root.fs.readBytes(file).catch((thrown: unknown) => thrown);
      // Without the superuser's rights some of them are not even opened.
      const isReported = HaftError.is(read, "FS_IO") || HaftError.is(read, "FS_PERMISSION");
      expect([file, isReported]).toEqual([file, true]);
      const { end } = await grep("plain", { root: file });
      expect([file, end?.why, end?.skipped]).toEqual([file, "complete", { unreadable: 1 }]);
    }
  });

  it("a path longer than any kernel takes is refused, and does not delay other calls", async () => {
    const { fs } = backend.root;
    const path = `/${"a/".repeat(300_000)}a`;
    for (const work of [() => fs.readText(path), () => fs.mkdir(path, true), () => fs.resolve([path])]) {
      const refused = await work().catch((thrown: unknown) => thrown);
      expect(HaftError.is(refused, "FS_BAD_PATH")).toBe(true);
    }
    expect(await fs.exists(directory)).toBe(true);
  });

  it("finds plain words in a directory of more names than fit into a command line", async () => {
    // The less stack a process may have, the shorter a command line may be: 128 KiB here.
    const small = await machine.open({ open: ["sh", "-c", 'ulimit -s 256; exec "$@"', "sh", ...ARGV[shell]] });
    const pad = "x".repeat(200);
    for (let index = 0; index < 1_500; index += 1) writeFileSync(join(directory, `${pad}${index}`), "hay\n");
    for (const index of [0, 700, 1_499]) writeFileSync(join(directory, `${pad}${index}`), "a needle\n");
    const { files, end } = await grep("needle", {}, small);
    expect(files.map((file) => file.slice(200))).toEqual(["0", "1499", "700"]);
    expect([end.why, end.skipped]).toEqual(["complete", {}]);
    expect((await small.root.fs.readDir(directory)).children.length).toBe(1_500);
    const long = "needle".repeat(10_000);
    writeFileSync(join(directory, "long"), long);
    expect((await grep(long, { maxLineBytes: 1_000, glob: "long" }, small)).files).toEqual(["long"]);
    await small.close();
  });
});
