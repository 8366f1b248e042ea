import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { isAlive, until } from "../posix/machine.fixture.js";
import { panesBench } from "./panes.fixture.js";
import { testPlace } from "./shells.fixture.js";

vi.setConfig({ testTimeout: 120_000 });

withPrograms("tmux, when its host is killed", ["tmux", "bash"], () => {
  const { open } = panesBench();

  it("a private server ends by itself, with what runs in its panes and its files", async () => {
    const place = testPlace();
    const script = await bundleForProcess(new URL("./killed-host.fixture.ts", import.meta.url), place.home);
    const host = spawn(process.execPath, [script, place.directory], { stdio: "inherit" });
    const started = join(place.directory, "started");
    await until(() => existsSync(started) && readFileSync(started, "utf8").endsWith("\n"), 60_000);
    const [, socket = "", server, shell] = /^(.*),(\d+),\d+ (\d+)\n$/.exec(readFileSync(started, "utf8")) ?? [];
    const processes = [Number(server), Number(shell)];
    expect([existsSync(socket), ...processes.map(isAlive)]).toEqual([true, true, true]);
    host.kill("SIGKILL");
    await until(() => !processes.some(isAlive) && !existsSync(dirname(socket)), 60_000);
    place.remove();
  });

  it("what it leaves of a named session is removed by the next start, and nothing of a host that runs", async () => {
    const place = testPlace();
    const script = await bundleForProcess(new URL("./killed-host.fixture.ts", import.meta.url), place.home);
    const env = { PATH: process.env.PATH ?? "", HOME: place.home, TMUX_TMPDIR: place.directory };
    const hosts = ["first", "second"].map((session) =>
      spawn(process.execPath, [script, place.directory, session], { stdio: "inherit", env }),
    );
    const directoryOf = ({ pid }: { readonly pid?: number | undefined }) =>
      readdirSync("/tmp").find((name) => {
        const owner = join("/tmp", name, "o");
        return /^haft-\w{6}$/.test(name) && existsSync(owner) && readFileSync(owner, "utf8") === `${pid}\n`;
      });
    await until(() => hosts.every((host) => directoryOf(host) !== undefined), 60_000);
    const [killed = "", running = ""] = hosts.map((host) => join("/tmp", directoryOf(host) ?? ""));
    hosts[0]?.kill("SIGKILL");
    await until(() => hosts[0]?.signalCode === "SIGKILL");
    const { backend, run } = open({ session: "third", env });
    expect((await run("true")).ended).toBe("itself");
    expect([existsSync(killed), existsSync(running)]).toEqual([false, true]);
    await backend.close();
    hosts[1]?.kill("SIGKILL");
    execFileSync("tmux", ["kill-server"], { env });
    rmSync(running, { recursive: true, force: true });
    place.remove();
  });
});
