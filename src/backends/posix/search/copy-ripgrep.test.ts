import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Backend, SearchEnd } from "../../../kernel/index.js";
import { realClock } from "../../../testing/conform.fixture.js";
import { bindAll } from "../../../testing/index.js";
import { PosixMachine, until } from "../machine.fixture.js";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe("ripgrep on a machine that has none", () => {
  let machine: PosixMachine;
  let bin: string;
  beforeEach(() => {
    machine = new PosixMachine("dash");
    // Every program of this machine but ripgrep.
    bin = mkdtempSync(join(tmpdir(), "haft-bin-"));
    for (const name of readdirSync("/usr/bin")) if (name !== "rg") symlinkSync(join("/usr/bin", name), join(bin, name));
    writeFileSync(join(machine.work, "a.txt"), "needle\n");
  });
  afterEach(() => {
    machine.dispose();
    rmSync(bin, { recursive: true, force: true });
  });

  const open = (copyRipgrep?: boolean) => machine.open(copyRipgrep === undefined ? {} : { copyRipgrep }, { PATH: bin });

  async function engineOf(backend: Backend): Promise<string> {
    const { search } = bindAll({ backend, clock: realClock }, {}, { workspace: machine.work });
    let end: SearchEnd | undefined;
    let hits = 0;
    for await (const record of search.grep({
      root: machine.work,
      includeIgnored: false,
      prune: [],
      order: "path",
      offset: 0,
      limit: 10,
      mode: "content",
      context: 0,
      maxLineBytes: 200,
      binary: "any-nul",
      pattern: { source: "needle", syntax: "literal", ignoreCase: false, multiline: false },
    })) {
      if (record.kind === "end") end = record;
      else hits += 1;
    }
    expect(hits).toBe(1);
    return end?.engine ?? "";
  }

  const copies = () =>
    readdirSync(machine.state).filter((spool) => existsSync(join(machine.state, spool, "rg"))).length;

  it("is copied at the first search where that is allowed, and deleted with the backend", async () => {
    const backend = await open(true);
    expect(copies()).toBe(0);
    expect(await engineOf(backend)).toMatch(/^ripgrep \d/);
    expect(copies()).toBe(1);
    expect(await engineOf(backend)).toMatch(/^ripgrep \d/);
    await backend.close();
    expect(readdirSync(machine.state)).toEqual([]);
  });

  it("is copied again when a reconnect has a new directory, whatever now lies in the old one", async () => {
    const backend = await open(true);
    expect(await engineOf(backend)).toMatch(/^ripgrep \d/);
    const old = join(machine.state, readdirSync(machine.state)[0]!);
    machine.delay = "never";
    machine.cut();
    await until(() => !existsSync(old));
    machine.delay = 0;
    mkdirSync(old);
    const ran = join(machine.directory, "ran");
    writeFileSync(join(old, "rg"), `#!/bin/sh\n: > ${ran}\n`, { mode: 0o755 });
    for (let search = 0; search < 2; search += 1) expect(await engineOf(backend)).toMatch(/^ripgrep \d/);
    expect([existsSync(ran), copies()]).toEqual([false, 2]);
    await backend.close();
  });

  it("is not copied otherwise", async () => {
    const backend = await open();
    expect(await engineOf(backend)).toMatch(/^re2js/);
    expect(copies()).toBe(0);
    await backend.close();
  });

  it("is not copied to a machine of another kind", async () => {
    rmSync(join(bin, "uname"));
    writeFileSync(join(bin, "uname"), "#!/bin/sh\necho Linux mips64\n", { mode: 0o755 });
    const backend = await open(true);
    expect(await engineOf(backend)).toMatch(/^re2js/);
    expect(copies()).toBe(0);
    await backend.close();
  });

  it("is not used where calls can write to it", async () => {
    const backend = await machine.open({ copyRipgrep: true, stateDir: machine.work }, { PATH: bin });
    expect(await engineOf(backend)).toMatch(/^re2js/);
    await backend.close();
  });

  it("leaves the search as it was where its directory takes no more", async () => {
    const backend = await open(true);
    mkdirSync(join(machine.state, readdirSync(machine.state)[0]!, "rg"));
    expect(await engineOf(backend)).toMatch(/^re2js/);
    await backend.close();
  });
});
