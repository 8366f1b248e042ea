import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { built } from "../../../../testing/built.fixture.js";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { withPrograms } from "../../../../testing/programs.fixture.js";

const place = cliPlace();

/** A server with what it printed until it printed `last`. */
async function started(args: readonly string[], last: string, env: NodeJS.ProcessEnv = place.env()) {
  const command = [built("surfaces/cli/main.js"), "serve", ...args];
  const server = spawn(process.execPath, command, { cwd: place.workspace, env, stdio: "pipe" });
  const ended = once(server, "exit");
  let notices = "";
  for await (const chunk of server.stderr) {
    notices += String(chunk);
    if (notices.includes(last)) break;
  }
  const stop = async () => {
    server.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  };
  return { server, notices, stop };
}

it.each(["/", "home"])(
  "a server over stdio without --workspace in %s reports at once that calls will fail",
  async (where) => {
    const env = place.env();
    const cwd = where === "/" ? where : (env.HOME ?? "");
    const args = [built("surfaces/cli/main.js"), "serve", "--stdio"];
    const server = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "ignore", "pipe"] });
    let notices = "";
    server.stderr.on("data", (chunk) => {
      notices += String(chunk);
    });
    server.stdin.end();
    await once(server, "close");
    expect(notices).toMatch(
      /^haft: calls will fail unless the client names a root: Did not take ".*" as the workspace: .*`--workspace DIR`\.$/m,
    );
  },
);

it.each([
  ["over HTTP", []],
  ["over stdio", ["--stdio", "--workspace", "."]],
])("a server %s reports that its default target cannot be opened, and serves", async (_, more) => {
  // Neither docker nor podman is found.
  const env = { ...place.env(), PATH: place.workspace };
  const { server, notices, stop } = await started(["--container", "none", ...more], "could not be opened", env);
  expect(notices).toMatch(
    /^haft: the target "container:none" could not be opened: .*Calls on it fail until it can\.$/m,
  );
  expect(server.exitCode).toBeNull();
  await stop();
});

withPrograms("a server with a terminal", ["tmux"], () => {
  it("prints the command with which a user watches it, and when that of another target is known", async () => {
    const args = ["--on", "local+tmux", "--on", "posix:sh+tmux", "--on", "memory"];
    const { notices, stop } = await started(args, "to watch the terminal");
    const [, socket = ""] = /^haft: to watch the terminal of "local\+tmux": tmux -S (\S+) attach$/m.exec(notices) ?? [];
    expect(notices.match(/^haft: the terminal of .*$/gm)).toEqual([
      'haft: the terminal of "posix:sh+tmux" starts with its first use; the tool `panes` (action "list") then prints how to watch it.',
    ]);
    const panes = execFileSync("tmux", ["-S", socket, "list-panes", "-a", "-F", "#{pane_id}"], { encoding: "utf8" });
    expect(panes).toBe("%0\n");
    await stop();
  });

  it("reports a session that did not exist, and leaves none; so does `haft doctor`", async () => {
    const env = { ...place.env(), TMUX_TMPDIR: place.root };
    const on = ["--on", "local+tmux=wrok"];
    const doctor = await place.haft(["doctor", ...on], { env });
    expect(doctor.stdout).toMatch(
      /^note +terminal +there is no tmux session "wrok"; the first use of the terminal creates it\n +You can watch it then: `tmux attach -t wrok`$/m,
    );
    expect(() => execFileSync("tmux", ["list-sessions"], { env, stdio: "ignore" })).toThrow();
    const { notices, stop } = await started(on, "to watch the terminal", env);
    expect(notices).toMatch(
      /^haft: there was no tmux session "wrok": it was created\.\nhaft: to watch the terminal of "local\+tmux=wrok": tmux attach -t wrok$/m,
    );
    await stop();
    expect(() => execFileSync("tmux", ["list-sessions"], { env, stdio: "ignore" })).toThrow();
  });
});
