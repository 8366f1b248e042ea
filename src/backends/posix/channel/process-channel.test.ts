/** Why a channel could not be opened, and what helps. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { processChannel } from "./channel.js";

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-channel-")));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it("a program that is absent is to be installed", async () => {
  await expect(processChannel([join(directory, "absent")])()).rejects.toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringMatching(/^Did not start ".*absent": .*ENOENT. Check that it is installed\.$/),
  });
});

it("one that this user cannot run is not", async () => {
  writeFileSync(join(directory, "plain"), "", { mode: 0o644 });
  await expect(processChannel([join(directory, "plain")])()).rejects.toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringMatching(/^Did not start ".*plain": .*EACCES. Check that this user can run it\.$/),
  });
});

it("nor is one whose arguments are too long, which is reported in the same way", async () => {
  await expect(processChannel(["sh", "-c", "x".repeat(5_000_000)])()).rejects.toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringMatching(/^Did not start "sh": .*E2BIG/),
  });
});

it("where this process has too many open files, that is the reason", async () => {
  const url = new URL("./few-descriptors.fixture.ts", import.meta.url);
  const script = await bundleForProcess(url, join(directory, "built"));
  const limited = ["-c", 'ulimit -n 100; exec "$0" "$@"', process.execPath, script];
  const { stdout, stderr } = spawnSync("/bin/sh", limited, { encoding: "utf8" });
  expect([stdout, stderr]).toEqual([
    'Did not start "sh": this process has too many open files. Try again with fewer calls at once, or raise the limit with `ulimit -n`.',
    "",
  ]);
});
