/** Another user makes a directory of the name that a spool directory had, where everybody may write. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Backend, ShellResult } from "../../../kernel/index.js";
import { isAlive, PosixMachine, until } from "../machine.fixture.js";
import { underOneShell } from "../shells.fixture.js";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const OTHER_USER = 65_534;
const out = (result: ShellResult) => Buffer.from(result.stdout.head).toString();

/** How a directory can be another's, by what it is; only root can give one away. */
const FOREIGN: Readonly<Record<string, (path: string, elsewhere: string) => void>> = {
  "that others can enter": (path) => {
    mkdirSync(path);
    chmodSync(path, 0o777);
  },
  "behind a symlink": (path, elsewhere) => {
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, path);
  },
  ...(process.getuid?.() === 0
    ? {
        "of another user": (path: string) => {
          mkdirSync(path, { mode: 0o700 });
          chownSync(path, OTHER_USER, OTHER_USER);
        },
      }
    : {}),
};

underOneShell((shell) => {
  let machine: PosixMachine;
  let backend: Backend | undefined;
  let bystander: ChildProcess | undefined;
  beforeEach(() => {
    machine = new PosixMachine(shell);
  });
  afterEach(async () => {
    bystander?.kill("SIGKILL");
    await backend?.close();
    machine.dispose();
  });
  const spools = () => machine.leftovers().map((name) => join(machine.state, name));
  const run = (command: string) => backend!.root.shell.exec(command, { cwd: machine.work, timeoutMs: 20_000 });

  for (const [what, make] of Object.entries(FOREIGN)) {
    it(`a new channel takes over no directory ${what}`, async () => {
      backend = await machine.open({ orphanMs: 200 });
      expect(out(await run("echo before"))).toBe("before\n");
      const [spool = ""] = spools();
      machine.delay = "never";
      machine.cut();
      await until(() => !existsSync(spool));
      make(spool, join(machine.directory, "elsewhere"));
      machine.delay = 0;
      expect(out(await run("echo after"))).toBe("after\n");
      await backend.root.fs.writeFile(join(machine.work, "file"), "text");
      expect(readdirSync(spool)).toEqual([]);
      expect(spools().length).toBe(2);
    });

    it(`files are read past a directory ${what} that came while the channel was open`, async () => {
      backend = await machine.open();
      const [spool = ""] = spools();
      // Not removed: shells may still make files in it.
      renameSync(spool, join(machine.directory, "moved"));
      make(spool, join(machine.directory, "elsewhere"));
      writeFileSync(join(machine.work, "file"), "text");
      expect(await backend.root.fs.readText(join(machine.work, "file"))).toBe("text");
      // What watches over the old channel may still look for its own files.
      expect(readdirSync(spool).filter((name) => name.startsWith("bulk"))).toEqual([]);
      expect(out(await run("echo after"))).toBe("after\n");
    });

    it(`a record in a directory ${what} is none of a kept job, and nothing is written there`, async () => {
      backend = await machine.open();
      const other = await machine.open();
      const { id } = await other.root.shell.spawn("exec sleep 600", { cwd: machine.work, lifetime: "keep" });
      await other.close();
      const job = await backend.root.shell.attach(id);
      const [name = "", number = ""] = id.split(".");
      const spool = join(machine.state, name);
      bystander = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
      const record = readFileSync(join(spool, `${number}.r`), "utf8");
      renameSync(spool, join(machine.directory, "moved"));
      make(spool, join(machine.directory, "elsewhere"));
      const precious = join(machine.directory, "precious");
      writeFileSync(precious, "text");
      symlinkSync(precious, join(spool, `${number}.stop`));
      const start = readFileSync(`/proc/${bystander.pid}/stat`, "latin1").split(" ")[21];
      writeFileSync(join(spool, `${number}.r`), record.replace(/^p .*$/m, `p ${bystander.pid} ${start}`));
      writeFileSync(join(spool, `${number}.keep`), "{}\n");
      await job!.kill("KILL");
      expect([readFileSync(precious, "utf8"), isAlive(bystander.pid!)]).toEqual(["text", true]);
      const later = await machine.open();
      expect(await later.root.shell.jobs()).toEqual([]);
      expect(await later.root.shell.attach(id)).toBe(null);
      await later.close();
      expect(readdirSync(spool).sort()).toEqual([`${number}.keep`, `${number}.r`, `${number}.stop`]);
    });
  }
});
