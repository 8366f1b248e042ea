/** Programs that Haft itself runs on the remote machine are none of the workspace, whose files calls can write without a question. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Backend } from "../../kernel/index.js";
import { realClock } from "../../testing/conform.fixture.js";
import { bindAll, treeGrant } from "../../testing/index.js";
import { openLocalPosix } from "./index.js";
import { PosixMachine } from "./machine.fixture.js";
import { underEachShell } from "./shells.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** What the scripts of Haft start, and a few more. */
const NAMES =
  "sh bash dash busybox rg grep find ls stat dd cat mkdir mv rm rmdir cp ln chmod chown touch sleep setsid mkfifo tr wc readlink sha256sum xargs sort head cmp kill pwd id date own-tool";

underEachShell((shell) => {
  const machine = new PosixMachine(shell);
  const { work } = machine;
  const ran = join(machine.directory, "ran");
  const bin = join(work, "bin");
  const link = join(machine.directory, "link");
  const PATH = `.:bin::${bin}:${link}:${work}:${machine.directory}/absent:~/bin:${process.env.PATH}`;
  let backend: Backend;
  beforeAll(async () => {
    mkdirSync(bin);
    mkdirSync(join(work, "sub"));
    symlinkSync(bin, link);
    for (const directory of [bin, work, join(work, "sub")]) {
      for (const name of NAMES.split(" ")) {
        const real = execFileSync("sh", ["-c", `command -v ${name} || :`], { encoding: "utf8" }).trim();
        const text = `#!/bin/sh\necho ${name} >>'${ran}'\nexec ${real.startsWith("/") ? real : "true"} "$@"\n`;
        writeFileSync(join(directory, name), text, { mode: 0o755 });
      }
    }
    backend = await openLocalPosix({ shell, cwd: work, stateDir: machine.state, setEnv: { PATH } });
  });
  afterAll(async () => {
    await backend.close();
    machine.dispose();
  });
  const programs = () => (existsSync(ran) ? readFileSync(ran, "utf8").split("\n") : []);

  it("starts none of them for files, searches and commands", async () => {
    const { fs, shell: commands } = backend.root;
    const file = join(work, "sub", "a");
    await fs.writeFile(file, "one needle\n");
    await fs.writeFile(file, "two needles\n");
    expect(await fs.readText(file)).toBe("two needles\n");
    expect((await fs.readDir(join(work, "sub"))).children.map(({ name }) => name)).toContain("a");
    await fs.mkdir(join(work, "sub", "b"), true);
    await fs.rm(join(work, "sub", "b"), { recursive: true, ignoreMissing: false });
    const { search } = bindAll({ backend, clock: realClock }, treeGrant(join(work, "sub"), ["read"]));
    const query = {
      root: join(work, "sub"),
      mode: "content",
      context: 0,
      maxLineBytes: 400,
      binary: "any-nul",
    } as const;
    const pattern = { source: "needles", syntax: "re2", ignoreCase: false, multiline: false } as const;
    const page = { order: "found", includeIgnored: true, prune: [], offset: 0, limit: 10 } as const;
    const hits: string[] = [];
    for await (const one of search.grep({ ...query, pattern, ...page })) if (one.kind !== "end") hits.push(one.path);
    expect(hits).toEqual([file]);
    for await (const _ of search.walk({
      root: join(work, "sub"),
      prune: [],
      includeIgnored: false,
      order: "path",
      offset: 0,
      limit: 99,
    }));
    await commands.exec(":", { cwd: join(work, "sub") });
    const job = await commands.spawn("read line", { cwd: join(work, "sub"), lifetime: "session" });
    await job.write(Buffer.from("line\n")).catch(() => {});
    await job.kill("TERM");
    expect(programs()).toEqual([]);
  });

  it("leaves a command its PATH", async () => {
    const { stdout } = await backend.root.shell.exec('printf "%s\\n" "$PATH"; own-tool', { cwd: work });
    expect(Buffer.from(stdout.head).toString()).toBe(`${PATH}\n`);
    expect(programs()).toContain("own-tool");
  });
});
