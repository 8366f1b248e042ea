/** A program that tries all ways out of a sandbox. Started as a process, as root and as another user, with an open secret. */
import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, join } from "node:path";
import { systemClock } from "../../host/index.js";
import type { Backend } from "../../kernel/index.js";
import { hostGuard } from "../../policy/host-guard.js";
import { bindAll } from "../../testing/index.js";
import { createLocalBackend } from "../local/index.js";
import { ESCAPES } from "./escape-commands.fixture.js";
import { createSandboxBackend } from "./index.js";

/** Printed by a row that got out, if nothing else shows it. */
const OUT = "GOT-OUT";
const SECRET = "s3cret-of-the-host";

/**
 * Ways in several commands, each in a workspace below the writable directory `wide`, which holds no repository. The last one is
 * tried until the time of the first is over, where it runs in the background.
 */
const WAYS: readonly (readonly [name: string, workspace: string, commands: readonly string[], race?: "race"])[] = [
  [
    "a repository that a command invents",
    "deep",
    [
      'mkdir e; echo $PWD/.git > e/gitdir; echo $REAL_HOME > e/commondir; echo "gitdir: $PWD/e" > .git; ls -A',
      "cat $REAL_HOME/.ssh/id; cat ~/.ssh/id; echo x > .git/config && echo GOT-OUT; mkdir -p .git/hooks && echo GOT-OUT",
    ],
  ],
  [
    "a workspace moved in a writable directory",
    "deep",
    [
      "cd ../..; for d in a a/deep; do $NODE -e \"require('fs').renameSync('$d','b')\" && echo GOT-OUT; done; mkdir -p a; ln -s ../../home a/deep",
      "cd ..; cat ~/.ssh/id $REAL_HOME/.ssh/id; mkdir -p ~/.config; echo x > $REAL_HOME/.config/made",
    ],
  ],
  [
    "a directory of settings swapped with a symlink",
    "deep",
    [
      `mkdir .zed .vscode .husky .envrc; for d in .zed .vscode .git .husky .envrc; do ln -s ../../../home $d-l; done; exec $NODE -e "
const { renameSync } = require('fs'), end = Date.now() + 20000;
const swap = (n) => { try { renameSync(n, 't'); renameSync(n + '-l', n); renameSync(n, n + '-l'); renameSync('t', n); } catch {} };
while (Date.now() < end) for (const n of ['.zed', '.vscode', '.git', '.husky', '.envrc']) swap(n);"`,
      "for d in .zed .vscode .git .husky .envrc ~; do cat $d/.ssh/id $d-l/.ssh/id; echo x > $d/made; done 2>&1; cat $REAL_HOME/.ssh/id",
    ],
    "race",
  ],
  [
    "files that the configuration of git names",
    "named",
    [
      "echo x > scripts/hooks/made && echo GOT-OUT; mv scripts s && echo GOT-OUT; echo x > .gitconfig && echo GOT-OUT; rm .gitconfig && echo GOT-OUT",
      "echo x > .git/config.worktree && echo GOT-OUT; echo x > later && echo GOT-OUT; ls -l later | grep -q later || echo GOT-OUT",
    ],
  ],
  [
    "names that the configuration of git has quoted, continued and commented",
    "commented",
    [
      "echo x > 'git hooks/made' && echo GOT-OUT; mv 'git hooks' g && echo GOT-OUT; echo x > shared.inc && echo GOT-OUT; rm shared.inc && echo GOT-OUT",
      "echo x > own/made && echo GOT-OUT; mv own o && echo GOT-OUT; mkdir from-home; echo x > from-home/made && echo GOT-OUT",
    ],
  ],
  [
    "hooks that the user's own configuration names, in the workspace",
    "commented",
    [
      "mkdir -p .team/hooks .xdg; echo x > .team/hooks/made && echo GOT-OUT; mv .team t && echo GOT-OUT; rm -r .team && echo GOT-OUT",
      "echo x > .xdg/made && echo GOT-OUT; mv .xdg x && echo GOT-OUT; rm -r .xdg && echo GOT-OUT; ls -A",
    ],
  ],
  [
    "hooks of a linked worktree whose repository lies outside",
    "linked",
    [
      "for d in .team/hooks own .of-worktree; do mkdir -p $d; echo x > $d/made && echo GOT-OUT; mv $d m && echo GOT-OUT; done",
    ],
  ],
];

/** What Haft itself writes to the state directory. */
const OWN_STATE: ReadonlySet<string> = new Set(["jobs", "watcher", "backups"]);

interface World {
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  readonly state: string;
  /** What is wrong since the last question. */
  violations(): string[];
  fill(text: string): string;
  close(): void;
}

const NAME = `haft-escape-${process.pid}`;

const FILES: Readonly<Record<string, string>> = {
  "outside/secret": SECRET,
  "home/.bashrc": "alias x=y\n",
  "home/.ssh/id": SECRET,
  "home/.config/gh/hosts.yml": SECRET,
  "home/.aws/credentials": SECRET,
  "home/.npmrc": `//x/:_authToken=${SECRET}\n`,
  "home/.local/bin/tool": "#!/bin/sh\n",
  "state/secret": SECRET,
  "ws/.vscode/tasks.json": "{}\n",
  "ws/haft.jsonc": "{}\n",
  "ws/.git/HEAD": "ref: refs/heads/main\n",
  "ws/.git/config": "[core]\n\trepositoryformatversion = 0\n",
  "ws/.git/config.worktree": "",
  "ws/.git/commondir": ".\n",
  "ws/.git/hooks/sample": "",
  "ws/.git/objects/x": "",
  "ws/.git/refs/x": "",
  "wide/a/deep/x": "",
  "wide/a/named/.git/HEAD": "ref: refs/heads/main\n",
  "wide/a/named/.git/config":
    '[core]\n\thooksPath = scripts/hooks\n[include]\n\tpath = ../.gitconfig\n[includeIf "gitdir:x"] path = ../later\n[extensions]\n\tworktreeConfig = true\n',
  "wide/a/named/.gitconfig": "[user]\n\tname = x\n",
  "wide/a/named/scripts/hooks/pre-commit": "",
  "home/.gitconfig": "[core] hooksPath = .team/hooks ; of each repository\n",
  "home/.config/git/config": "[core]\n\thooksPath = .xdg # the same\n",
  "wide/a/commented/.git/HEAD": "ref: refs/heads/main\n",
  "wide/a/commented/.git/config":
    '[core] hooksPath = git" h"oo\\\nks # of the team\nhooksPath = ~/../wide/a/commented/from-home\n[include]\n\tpath = ../shared.inc ; x\n',
  "wide/a/commented/git hooks/pre-commit": "",
  "wide/a/commented/shared.inc": "[core] ; x\n\thooksPath = own;x\n",
  "wide/a/commented/own/pre-commit": "",
  "outside/repository/objects/x": "",
  "outside/repository/config": "[core] hooksPath = own\n[extensions] worktreeConfig = true\n",
  "outside/repository/worktrees/linked/config.worktree": "[core] hooksPath = .of-worktree\n",
  "outside/repository/worktrees/linked/commondir": "../..\n",
  "wide/a/linked/own/pre-commit": "",
};

/** A server that reports each connection and ends it. @param where - A path, or 0 for a port of the loopback address. */
function listenAt(where: string | number, onConnection: () => void): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      onConnection();
      socket.end();
    });
    server.listen(typeof where === "number" ? { port: where, host: "127.0.0.1" } : { path: where }, () =>
      resolve(server),
    );
  });
}

/** Its id. */
function sharedMemory(): string {
  return /\d+$/.exec(execFileSync("ipcmk", ["-M", "4096"], { encoding: "utf8" }).trim())?.[0] ?? "";
}

/** @param at - Joins its parts to the path of the world. */
function plantFiles(at: (...parts: string[]) => string): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(at(name, ".."), { recursive: true });
    writeFileSync(at(name), text);
  }
  const [worktree, inRepository] = [at("wide/a/linked/.git"), at("outside/repository/worktrees/linked")];
  writeFileSync(worktree, `gitdir: ${inRepository}\n`);
  writeFileSync(join(inRepository, "gitdir"), `${worktree}\n`);
}

async function makeWorld(base: string): Promise<World> {
  const at = (...parts: string[]) => join(base, ...parts);
  plantFiles(at);
  for (const path of [join("/tmp", NAME), join("/dev/shm", NAME)]) writeFileSync(path, SECRET);
  let connections = 0;
  const listen = (where: string | number) => listenAt(where, () => connections++);
  const servers = [await listen(at("outside", "sock")), await listen(`\0${NAME}`), await listen(0)];
  const port = (servers[2]!.address() as { port: number }).port;
  const victim = spawn("/bin/sleep", ["600"], { env: { TOKEN: SECRET }, stdio: "ignore" });
  const values: Record<string, string> = {
    SEGMENT: sharedMemory(),
    OUTSIDE: at("outside"),
    REAL_HOME: at("home"),
    STATE: at("state"),
    WORKSPACE: at("ws"),
    VICTIM: String(victim.pid),
    PORT: String(port),
    NAME,
    NODE: process.execPath,
  };
  const look = () => [
    ...Object.entries(FILES).flatMap(([name, text]) =>
      existsSync(at(name)) && readFileSync(at(name), "utf8") === text ? [] : [`changed ${name}`],
    ),
    ...["outside", "home", "home/.local", "home/.config", "state", "ws/.git", "ws/.git/hooks", "ws/.vscode"].flatMap(
      (name) =>
        existsSync(at(name))
          ? [
              `${name}: ${readdirSync(at(name))
                .filter((one) => !OWN_STATE.has(one))
                .sort()
                .join(" ")}`,
            ]
          : [],
    ),
    ...readdirSync(base).map((name) => `has ${name}`),
    ...[join("/tmp", `${NAME}-made`), join("/var/tmp", `${NAME}-made`)]
      .filter(existsSync)
      .map((path) => `made ${path}`),
    ...(victim.exitCode === null && victim.signalCode === null ? [] : ["killed a process"]),
    `the workspace is ${statSync(at("ws"), { throwIfNoEntry: false })?.ino}`,
  ];
  let before = look();
  return {
    base,
    workspace: at("ws"),
    home: at("home"),
    state: at("state"),
    violations() {
      const now = look();
      const changed = [...now.filter((one) => !before.includes(one)), ...before.filter((one) => !now.includes(one))];
      before = now;
      const connected = connections;
      connections = 0;
      return connected === 0 ? changed : [...changed, `${connected} connections`];
    },
    fill: (text) => text.replace(/\$([A-Z_]+)/g, (whole, name: string) => values[name] ?? whole),
    close() {
      for (const server of servers) server.close();
      victim.kill("SIGKILL");
      execFileSync("ipcrm", ["-m", values.SEGMENT ?? ""]);
    },
  };
}

async function attempt(backend: Backend, world: World, command: string, cwd = world.workspace): Promise<string[]> {
  const env = { XDG_RUNTIME_DIR: join(world.base, "outside") };
  const { stdout } = await backend.root.shell.exec(`${world.fill(command)}\necho ran`, {
    cwd,
    timeoutMs: 20_000,
    ...(command.includes("XDG_RUNTIME_DIR") ? { env } : {}),
  });
  // A killed process needs a moment to be reported.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const text = Buffer.concat([stdout.head, stdout.tail]).toString("latin1");
  const said = text.split("\n").filter((line) => line.includes(OUT) || line.includes(SECRET));
  return [...said.map((line) => `printed ${line.slice(0, 200)}`), ...world.violations()];
}

/** Each of `WAYS`, with the sandbox opened where a command has been before too. */
async function ways(world: World): Promise<Record<string, string[]>> {
  const wide = join(world.base, "wide");
  const found: Record<string, string[]> = {};
  for (const [name, workspace, commands, race] of WAYS) {
    const cwd = join(wide, "a", workspace);
    const backend = await createSandboxBackend({ cwd, home: world.home, stateDir: world.state, writable: [wide] });
    world.violations();
    const out: string[] = [];
    const [first = "", ...rest] = commands;
    if (race === undefined) out.push(...(await attempt(backend, world, first, cwd)));
    if (race !== undefined) await backend.root.shell.spawn(world.fill(first), { cwd, lifetime: "host" });
    for (let left = race === undefined ? 1 : 25; left > 0; left--)
      for (const command of rest) out.push(...(await attempt(backend, world, command, cwd)));
    await backend.close();
    found[name] = out;
  }
  return found;
}

/** What file tools are refused, as commands are. */
async function fileTools(backend: Backend, world: World): Promise<string[]> {
  const fixture = { backend, directory: world.workspace, clock: systemClock } as unknown as Parameters<
    typeof bindAll
  >[0];
  const places = [{ path: "/", access: ["read", "write", "create", "delete"], scope: "tree" }] as const;
  const { fs } = bindAll(fixture, { files: places as never });
  const plants = `ln -s $(dirname $TMPDIR) to-own; ln -s ${world.base}/home/.ssh/id $TMPDIR/to-a-key; printf %s $TMPDIR`;
  const { stdout } = await backend.root.shell.exec(plants, { cwd: world.workspace, timeoutMs: 20_000 });
  const tmp = Buffer.from(stdout.head).toString();
  const ownHome = join(tmp, "../home");
  const attempts: Record<string, () => Promise<unknown>> = {
    // Where a later command has a mount: a symlink in its place would lead the mount elsewhere.
    "remove a place of a mount": () =>
      fs.rm(join(tmp, basename(join(tmp, ".."))), { recursive: true, ignoreMissing: false }),
    "move a place of a mount": () => fs.rename(join(ownHome, ".local"), join(ownHome, "l"), { replace: false }),
    "remove the private home directory": () => fs.rm(ownHome, { recursive: true, ignoreMissing: false }),
    "write to the private directory": () => fs.writeFile(join(tmp, "../owner"), "x"),
    "write to the private directory, by a command's symlink": () =>
      fs.writeFile(join(world.workspace, "to-own/scripts/x"), "x"),
    "remove the socket of the proxy": () =>
      fs.rm(join(world.workspace, "to-own/net/proxy"), { recursive: true, ignoreMissing: false }),
    "move TMPDIR, by a command's symlink": () =>
      fs.rename(join(world.workspace, "to-own/tmp"), join(world.workspace, "t"), { replace: false }),
    "read through a symlink in TMPDIR": () => fs.readText(join(tmp, "to-a-key")),
    "read by a descriptor": () => fs.readText(`/proc/self/cwd${world.base}/outside/secret`),
    "read a key": () => fs.readText(join(world.home, ".ssh/id")),
    "read outside": () => fs.readText(join(world.base, "outside/secret")),
    "read through a symlink": () => fs.readText(join(world.workspace, "to-the-secret")),
    "read /tmp": () => fs.readText(join("/tmp", NAME)),
    "list the home directory": () => fs.readDir(world.home),
    "write .bashrc": () => fs.writeFile(join(world.home, ".bashrc"), "x"),
    "write a hook": () => fs.writeFile(join(world.workspace, ".git/hooks/made"), "x"),
    "write the configuration of git": () => fs.writeFile(join(world.workspace, ".git/config"), "x"),
    "move .git": () => fs.rename(join(world.workspace, ".git"), join(world.workspace, "g"), { replace: false }),
    "remove .git": () => fs.rm(join(world.workspace, ".git"), { recursive: true, ignoreMissing: false }),
    "write to the system": () => fs.writeFile("/etc/haft-made", "x"),
    "read the state": () => fs.readText(join(world.state, "secret")),
  };
  symlinkSync(join(world.base, "outside/secret"), join(world.workspace, "to-the-secret"));
  const wrong: string[] = [];
  for (const [name, act] of Object.entries(attempts)) {
    const code = await act().then(
      () => "it worked",
      (error: { code?: string }) => error.code ?? String(error),
    );
    if (code !== "FS_PERMISSION") wrong.push(`${name}: ${code}`);
  }
  return [...wrong, ...world.violations()];
}

/** A program in the workspace in the place of one that Haft's own shell would start, and variables that load code. */
async function keeper(backend: Backend, world: World): Promise<string[]> {
  const bin = join(world.workspace, "bin");
  mkdirSync(bin, { recursive: true });
  const script = `touch ${join(world.base, "outside/made")}\n`;
  writeFileSync(join(world.workspace, "evil.sh"), script);
  for (const name of ["mv", "dd", "printf"]) writeFileSync(join(bin, name), `#!/bin/sh\n${script}`, { mode: 0o755 });
  const evil = join(world.workspace, "evil.sh");
  const env = { PATH: `${bin}:/usr/bin:/bin`, ENV: evil, BASH_ENV: evil, LD_PRELOAD: join(world.workspace, "evil.so") };
  const job = await backend.root.shell.spawn("echo kept", { cwd: world.workspace, env, lifetime: "keep" });
  await job.result;
  return world.violations();
}

const [, , base = "", as = "sandbox"] = process.argv;
const world = await makeWorld(base);
const { workspace: cwd, home, state: stateDir } = world;
const sandbox = () => createSandboxBackend({ cwd, home, stateDir, hosts: hostGuard(["*"]) });
const backend = as === "sandbox" ? await sandbox() : createLocalBackend({ cwd, home, stateDir });
world.violations();
for (const [name, command, known] of ESCAPES) {
  if (as !== "sandbox" && known === undefined) continue;
  // Without a sandbox each would spoil the world for the next.
  const out = await attempt(backend, world, as === "sandbox" ? command : `(${command.replaceAll("rm -rf", "true")})`);
  appendFileSync(join(base, "..", `${as}.jsonl`), `${JSON.stringify({ name, out })}\n`);
}
if (as === "sandbox") {
  const more = {
    "file tools": await fileTools(backend, world),
    "programs of Haft": await keeper(backend, world),
    ...(await ways(world)),
  };
  for (const [name, out] of Object.entries(more))
    appendFileSync(join(base, "..", `${as}.jsonl`), `${JSON.stringify({ name, out })}\n`);
}
await backend.close();
world.close();
process.exit(0);
