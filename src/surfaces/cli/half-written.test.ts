import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { linkSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

vi.setConfig({ testTimeout: 120_000 });

const LINES = 200_000;
const OLD = `${"old line of a file\n".repeat(LINES)}the last line\n`;
const place = cliPlace();
beforeEach(() => {
  writeFileSync(file(), OLD);
  linkSync(file(), join(place.workspace, "other name"));
});

const file = () => join(place.workspace, "file");
const state = () => join(place.root, "state");
const haft = (...args: readonly string[]) => place.inProcess([...args, "--state", state()]);

/** The command that a line on standard error gives. */
const restoreIn = (stderr: string) =>
  /an earlier haft process was killed while it overwrote .*Restore them with: (cp .*) \(or delete/.exec(stderr)?.[1];

async function leaveHalfWritten(): Promise<void> {
  const script = await bundleForProcess(
    new URL("../../backends/local/fs/writer.fixture.ts", import.meta.url),
    join(place.root, "built"),
  );
  const argv = [script, file(), String(OLD.length), state(), "overwrite"];
  expect(spawnSync(process.execPath, argv).signal).toBe("SIGKILL");
  expect(readFileSync(file(), "utf8")).not.toBe(OLD);
}

describe("a file that a killed process left half-written", () => {
  it("is reported by each `haft call` until the command that it prints has restored it", async () => {
    await leaveHalfWritten();
    const first = await haft("call", "ls", "{}");
    expect(first.status).toBe(0);
    expect(first.stderr).toContain(`Its old ${OLD.length} bytes are in ${state()}/backups/`);
    const again = await haft("call", "ls", "{}");
    expect(restoreIn(again.stderr)).toBe(restoreIn(first.stderr));
    expect(spawnSync("sh", ["-c", restoreIn(first.stderr)!]).status).toBe(0);
    expect(readFileSync(file(), "utf8")).toBe(OLD);
    expect((await haft("call", "ls", "{}")).stderr).toBe("");
  });

  it("is reported by a server after its first call", async () => {
    await leaveHalfWritten();
    const argv = [built("surfaces/cli/main.js"), "serve", "--stdio", "--state", state()];
    const server = spawn(process.execPath, argv, {
      cwd: place.workspace,
      env: place.env(),
      stdio: ["pipe", "ignore", "pipe"],
    });
    let notes = "";
    const reported = new Promise<void>((resolve) => {
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
        notes += text;
        if (restoreIn(notes) !== undefined) resolve();
      });
    });
    const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const about = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    send({ id: 1, method: "initialize", params: about });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/call", params: { name: "ls", arguments: {} } });
    await reported;
    server.stdin.end();
    await new Promise((resolve) => server.once("close", resolve));
    expect(spawnSync("sh", ["-c", restoreIn(notes)!]).status).toBe(0);
    expect(readFileSync(file(), "utf8")).toBe(OLD);
  });
});

const NEW = OLD.replace("the last line", "the very last line");
const CALLS = {
  edit: { path: "file", edits: [{ oldText: "the last line", newText: "the very last line" }] },
  write: { path: "file", content: NEW, expect: createHash("sha256").update(OLD).digest("hex") },
};

for (const [tool, input] of Object.entries(CALLS))
  it(`\`${tool}\` that is killed once it has begun to overwrite leaves the old or the new bytes to be had`, async () => {
    for (let round = 0; round < 4; round += 1) {
      const { mtimeMs } = statSync(file());
      const argv = [built("surfaces/cli/main.js"), "call", tool, "-", "--state", state()];
      const child = spawn(process.execPath, argv, {
        cwd: place.workspace,
        env: place.env(),
        stdio: ["pipe", "ignore", "inherit"],
      });
      child.stdin.end(JSON.stringify(input));
      while (child.exitCode === null && statSync(file()).mtimeMs === mtimeMs)
        await new Promise((resolve) => setTimeout(resolve, 0));
      expect(child.exitCode).toBeNull();
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      const { stderr } = await haft("call", "ls", "{}");
      const restore = restoreIn(stderr);
      if (restore !== undefined) {
        spawnSync("sh", ["-c", restore]);
        expect(readFileSync(file(), "utf8")).toBe(OLD);
      }
      expect([OLD, NEW]).toContain(readFileSync(file(), "utf8"));
      writeFileSync(file(), OLD);
    }
  });
