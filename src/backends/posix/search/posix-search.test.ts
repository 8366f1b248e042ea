import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Backend, GrepHit, GrepQuery, SearchEnd } from "../../../kernel/index.js";
import { realClock } from "../../../testing/conform.fixture.js";
import { bindAll } from "../../../testing/index.js";
import { PosixMachine } from "../machine.fixture.js";
import { underOneShell } from "../shells.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

underOneShell((shell) => {
  let machine: PosixMachine;
  let backend: Backend;
  beforeAll(async () => {
    machine = new PosixMachine(shell);
    backend = await machine.open({ useRipgrep: false });
  });
  afterAll(async () => {
    await backend.close();
    machine.dispose();
  });
  let directory: string;
  let round = 0;
  beforeEach(() => {
    round += 1;
    directory = join(machine.work, `tree-${round}`);
    mkdirSync(directory);
  });
  afterEach(() => execFileSync("rm", ["-rf", directory]));

  async function grep(source: string, query: Partial<GrepQuery> = {}, syntax: "literal" | "re2" = "literal") {
    const hits: GrepHit[] = [];
    let end: SearchEnd | undefined;
    const { search } = bindAll({ backend, clock: realClock });
    for await (const record of search.grep({
      root: directory,
      includeIgnored: false,
      prune: [],
      order: "path",
      offset: 0,
      limit: 1_000,
      mode: "content",
      context: 0,
      maxLineBytes: 200,
      binary: "any-nul",
      pattern: { source, syntax, ignoreCase: false, multiline: false },
      ...query,
    })) {
      if (record.kind === "end") end = record;
      else hits.push(record);
    }
    return { files: hits.map((hit) => hit.path.slice(directory.length + 1)), end: end! };
  }

  it("says in the end record who matched, and hands only plain words to a remote grep", async () => {
    writeFileSync(join(directory, "a"), "one word\n");
    const far =
      shell === "busybox"
        ? "re2js, on files transferred here"
        : "re2js, on files transferred here after a remote grep -F";
    expect((await grep("word")).end.engine).toBe(far);
    for (const [source, syntax] of [
      ["w.rd", "re2"],
      ["a\rb", "literal"],
    ] as const)
      expect((await grep(source, {}, syntax)).end.engine).toBe("re2js, on files transferred here");
    const loose = { pattern: { source: "WORD", syntax: "literal", ignoreCase: true, multiline: false } } as const;
    expect([(await grep("", loose)).end.engine, (await grep("", loose)).files]).toEqual([
      "re2js, on files transferred here",
      ["a"],
    ]);
  });

  it("finds plain words whatever the file is called and whatever else is in it", async () => {
    const names = ["-e", "a b", "line\nend", "quo'te\"s", "$(id)", "*", "sub"];
    for (const name of names.slice(0, -1)) writeFileSync(join(directory, name), "x\n--word 'y' \\ $z*\n");
    mkdirSync(join(directory, "sub"));
    writeFileSync(join(directory, "sub", "last"), "no end --word 'y' \\ $z*");
    execFileSync("mkfifo", [join(directory, "pipe")]);
    for (const source of ["--word 'y' \\ $z*", "-", "*"]) {
      expect((await grep(source)).files.sort()).toEqual([...names.slice(0, -1), "sub/last"].sort());
    }
    expect((await grep("absent")).end).toMatchObject({ why: "complete", seen: 7 });
  });

  it("counts a file with a NUL as binary, before and behind the match", async () => {
    writeFileSync(join(directory, "before"), Buffer.from("\0word\n"));
    writeFileSync(join(directory, "behind"), Buffer.from("word\n\0\n"));
    writeFileSync(join(directory, "plain"), "word\n");
    const { files, end } = await grep("word");
    expect([files, end.skipped.binary]).toEqual([["plain"], 2]);
  });

  it("moves at most 64 MiB; files beyond are counted and the end says limit", async () => {
    const block = Buffer.alloc(9 * 1024 * 1024, "no match in here\n");
    for (let index = 0; index < 9; index += 1) writeFileSync(join(directory, `f${index}`), block);
    writeFileSync(join(directory, "z"), "zmatch\n");
    const { files, end } = await grep("z[m]at+[c]h$", {}, "re2");
    expect([files, end.why]).toEqual([[], "limit"]);
    expect(end.skipped).toEqual({ unmoved: 3 });
    // Plain words are looked for on the remote side: nothing needs to be moved for files without them.
    if (shell !== "busybox") expect((await grep("zmatch")).end.why).toBe("complete");
  });
});
