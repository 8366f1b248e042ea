import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hostGuard } from "../../policy/host-guard.js";
import { expectFault } from "../../testing/faults.fixture.js";
import { withBubblewrap } from "../../testing/programs.fixture.js";
import { createSandboxBackend } from "./index.js";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-opening-")));
  for (const name of ["home/bin", "home/lib", "ws", "data"]) mkdirSync(join(base, name), { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const open = (options: object = {}) =>
  createSandboxBackend({ cwd: join(base, "ws"), home: join(base, "home"), ...options });
const run = async (backend: Awaited<ReturnType<typeof open>>, command: string) => {
  const { stdout } = await backend.root.shell.exec(command, { cwd: join(base, "ws"), timeoutMs: 20_000 });
  return Buffer.concat([stdout.head, stdout.tail]).toString().trim();
};

withBubblewrap("opening a sandbox", () => {
  it("refuses a directory of temporary files that commands could move", async () => {
    mkdirSync(join(base, "ws/t"));
    vi.stubEnv("TMPDIR", join(base, "ws/t"));
    await expect(open()).rejects.toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining("TMPDIR") });
    expect(readdirSync(join(base, "ws/t"))).toEqual([]);
  });

  it.each(["missing", "file"])("names a directory of temporary files that cannot be used: %s", async (name) => {
    writeFileSync(join(base, "file"), "");
    vi.stubEnv("TMPDIR", join(base, name));
    const message = expect.stringMatching(new RegExp(`^Did not open "sandbox": .*"${join(base, name)}".* Set TMPDIR`));
    await expect(open()).rejects.toMatchObject({ code: "BACKEND_UNAVAILABLE", message });
  });

  it("has its proxy where the directory of temporary files has a longer path than a socket may have", async () => {
    const long = join(base, "x".repeat(60), "y".repeat(60));
    mkdirSync(long, { recursive: true });
    vi.stubEnv("TMPDIR", long);
    const backend = await open({ hosts: hostGuard([]) });
    const ask = `require("http").get({ port: 3128, path: "http://example.com/" }, (answer) => { console.log(answer.statusCode); process.exit(); })`;
    expect(await run(backend, `'${process.execPath}' -e '${ask}'`)).toBe("403");
    await backend.close();
    // A name that was cut off would be beside it.
    expect([readdirSync(long), readdirSync(join(long, ".."))]).toEqual([[], ["y".repeat(60)]]);
  });

  it("knows the home directory behind a symlink", async () => {
    symlinkSync(join(base, "home"), join(base, "link"));
    const options = { cwd: join(base, "home"), home: join(base, "link") };
    await expect(open(options)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("shows the programs of ~/bin, and not the home directory around them", async () => {
    writeFileSync(join(base, "home/secret"), "");
    writeFileSync(join(base, "home/bin/tool"), "");
    const backend = await open({ env: { PATH: `${join(base, "home/bin")}:/usr/bin:/bin` } });
    expect(await run(backend, `ls ${join(base, "home")} ${join(base, "home/bin")}`)).toMatch(/bin:\ntool$/);
    expect(await run(backend, `ls ${join(base, "home")}`)).not.toContain("secret");
    await backend.close();
  });

  it("has an empty .git in a workspace without a repository as long as it is open", async () => {
    const backend = await open();
    expect(await run(backend, "mkdir .git/x || echo refused; ls -A")).toBe("refused\n.git");
    await backend.close();
    await expect(run(backend, ":")).rejects.toThrow('Did not use the backend "sandbox": it is closed.');
    expect(existsSync(join(base, "ws/.git"))).toBe(false);
  });

  it.each<[string, () => object]>([
    [
      "configuration that cannot be protected",
      () => {
        symlinkSync("/dev/null", join(base, "ws/.git/config"));
        return {};
      },
    ],
    [
      "a workspace that is a file",
      () => {
        writeFileSync(join(base, "file"), "");
        return { cwd: join(base, "file") };
      },
    ],
    [
      "a state directory that cannot be created",
      () => {
        writeFileSync(join(base, "ws/file"), "");
        return { stateDir: join(base, "ws/file/state"), hosts: hostGuard([]) };
      },
    ],
  ])("leaves nothing where it fails, for %s", async (_, prepare) => {
    mkdirSync(join(base, "ws/.git"));
    mkdirSync(join(base, "tmp"));
    writeFileSync(join(base, "ws/.git/HEAD"), "");
    vi.stubEnv("TMPDIR", join(base, "tmp"));
    const options = prepare();
    const all = () => [...readdirSync(base, { recursive: true }).sort(), readdirSync("/proc/self/fd").length];
    const before = all();
    await expect(open(options)).rejects.toMatchObject({ code: "BACKEND_UNAVAILABLE" });
    expect(all()).toEqual(before);
  });

  it("has the user's name for commits as git reads it, and protects the hooks of both files of the user", async () => {
    mkdirSync(join(base, "xdg/git"), { recursive: true });
    writeFileSync(
      join(base, "xdg/git/config"),
      '[user] name = "Ada # \\"L\\"" ; x\n\temail = a@x # y\n[core] hooksPath = one # x\n',
    );
    writeFileSync(join(base, "home/.gitconfig"), "[user] email = b@x\n[core] hooksPath = two/three\n");
    mkdirSync(join(base, "ws/.git"));
    writeFileSync(join(base, "ws/.git/HEAD"), "ref: refs/heads/main\n");
    vi.stubEnv("XDG_CONFIG_HOME", join(base, "xdg"));
    const backend = await open();
    expect(await run(backend, "cat ~/.gitconfig")).toBe('[user]\n\tname = "Ada # \\"L\\""\n\temail = "b@x"');
    expect(await run(backend, "for d in one two/three; do echo x > $d/x || echo refused; done")).toBe(
      "refused\nrefused",
    );
    await backend.close();
    expect(readdirSync(join(base, "ws"))).toEqual([".git"]);
  });

  it.each<[string, () => string]>([
    [
      "a symlink to the workspace",
      () => {
        symlinkSync(join(base, "ws"), join(base, "link"));
        return join(base, "link/to/hooks");
      },
    ],
    [
      "a symlink of its own, with .. in it",
      () => {
        symlinkSync("home/../ws/to/hooks", join(base, "link"));
        return join(base, "link");
      },
    ],
    [
      "a symlink beside the workspace",
      () => {
        symlinkSync("ws", join(base, "link"));
        return "../link/to/hooks";
      },
    ],
  ])("protects hooks that do not exist, behind %s", async (_, link) => {
    mkdirSync(join(base, "ws/.git"));
    writeFileSync(join(base, "ws/.git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(base, "home/.gitconfig"), `[core] hooksPath = ${link()}\n`);
    const backend = await open();
    expect(await run(backend, "mkdir -p to/hooks; echo x > to/hooks/pre-commit || echo refused")).toBe("refused");
    await backend.close();
    expect(existsSync(join(base, "ws/to"))).toBe(false);
  });

  it.each(["with", "without"])("protects the user's own configuration in a workspace %s a repository", async (kind) => {
    if (kind === "with") {
      mkdirSync(join(base, "ws/.git"));
      writeFileSync(join(base, "ws/.git/HEAD"), "ref: refs/heads/main\n");
    }
    mkdirSync(join(base, "ws/hooks"));
    writeFileSync(join(base, "ws/gitconfig"), `[include] path = more\n[core] hooksPath = ${join(base, "ws/hooks")}\n`);
    symlinkSync(join(base, "ws/gitconfig"), join(base, "home/.gitconfig"));
    // A path in a file of the user is one beside the symlink.
    symlinkSync("../ws/included", join(base, "home/more"));
    const backend = await open();
    expect(await run(backend, "for f in gitconfig included hooks/x; do echo x > $f || echo refused; done")).toBe(
      "refused\nrefused\nrefused",
    );
    await backend.close();
  });

  it("protects a repository in the workspace that a file .git names, and the hooks that one outside names", async () => {
    for (const name of ["ws/.bare/objects", "ws/own", "ws/sub/team", "outside"])
      mkdirSync(join(base, name), { recursive: true });
    writeFileSync(join(base, "ws/.git"), "gitdir: ./.bare\n");
    writeFileSync(join(base, "ws/.bare/config"), "[core] hooksPath = own\n");
    writeFileSync(join(base, "ws/sub/.git"), "gitdir: ../../outside\n");
    writeFileSync(join(base, "outside/config"), "[core] hooksPath = team\n");
    const backend = await open({ writable: [join(base, "ws/sub")] });
    const files = ".bare/config .bare/hooks/x .bare/commondir own/x sub/team/x";
    expect(
      await run(backend, `for f in ${files}; do echo x > $f || echo refused; done; mv .bare b || echo refused`),
    ).toBe(Array(6).fill("refused").join("\n"));
    await backend.close();
    expect(readdirSync(join(base, "ws/.bare"))).toEqual(["config", "objects"]);
  });

  it("does not open where a file .git names a repository that a command could create", async () => {
    writeFileSync(join(base, "ws/.git"), "gitdir: ./.bare\n");
    await expect(open()).rejects.toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringContaining(".bare"),
    });
  });

  it("opens where git's configuration names a pipe", async () => {
    const pipe = join(base, "data/pipe");
    execFileSync("mkfifo", [pipe]);
    mkdirSync(join(base, "ws/.git"));
    writeFileSync(join(base, "ws/.git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(base, "ws/.git/config"), `[include] path = ${pipe}\n`);
    symlinkSync(pipe, join(base, "home/.gitconfig"));
    const backend = await open();
    expect(await run(backend, "echo started")).toBe("started");
    await backend.close();
  });

  it.each<Record<string, string>>([{ A: "x\0--tmpfs\0/usr" }, { "A\0B": "x" }, { "": "x" }, { "A=B": "x" }])(
    "starts no command with a variable that would be another argument: %j",
    async (env) => {
      const backend = await open({ env });
      const result = await backend.root.shell.exec("echo started", { cwd: join(base, "ws"), timeoutMs: 20_000 });
      expect(result).toMatchObject({ exit: { by: "none" }, problem: expect.stringContaining("the variable") });
      await backend.close();
    },
  );

  it("starts commands without what the user has deleted meanwhile, and none where the workspace itself was replaced", async () => {
    writeFileSync(join(base, "ws/.envrc"), "");
    const backend = await open();
    rmSync(join(base, "ws/.envrc"));
    expect(await run(backend, "echo x > .envrc && cat .envrc")).toBe("x");
    rmSync(join(base, "ws"), { recursive: true });
    symlinkSync(join(base, "home"), join(base, "ws"));
    const exec = backend.root.shell.exec("ls", { cwd: join(base, "ws"), timeoutMs: 20_000 });
    expect(JSON.stringify(await exec)).toMatch(/was moved or removed since|cannot be used/);
    await backend.close();
  });

  it("64 commands at once all end right", async () => {
    const backend = await open();
    const exec = (number: number) =>
      backend.root.shell.exec(`echo ${number}; exit ${number}`, { cwd: join(base, "ws"), timeoutMs: 60_000 });
    const results = await Promise.all(Array.from({ length: 64 }, (_, index) => exec(index)));
    for (const [number, result] of results.entries()) {
      expectFault("sandbox: 64 calls", result);
      const seen = [result.exit, Buffer.from(result.stdout.head).toString()];
      expect(seen).toEqual([{ by: "code", code: number }, `${number}\n`]);
    }
    await backend.close();
  }, 90_000);
});
