import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { isAlive, until } from "../posix/machine.fixture.js";
import { testPlace } from "./shells.fixture.js";

vi.setConfig({ testTimeout: 120_000 });

withPrograms("tmux, when its host is killed", ["tmux", "bash"], () => {
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
});
