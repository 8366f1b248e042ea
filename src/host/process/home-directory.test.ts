import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { databaseHome } from "../../testing/database-home.fixture.js";

/** A user that no machine knows. */
const NOBODY = 2_000_000_011;

let directory: string;
let script: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "haft-home-"));
  chmodSync(directory, 0o755);
  script = await bundleForProcess(new URL("./home-directory.fixture.ts", import.meta.url), join(directory, "built"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const homeOf = (env: Record<string, string>, user?: { uid: number; gid: number }) =>
  spawnSync(process.execPath, [script], {
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", ...env },
    ...user,
  }).stdout.trim();

it("is HOME", () => {
  expect(homeOf({ HOME: "/somewhere" })).toBe("/somewhere");
});

const isRoot = process.getuid?.() === 0;

it.runIf(databaseHome !== undefined)("is that of the user database where HOME is unset or relative", () => {
  expect([homeOf({}), homeOf({ HOME: "" }), homeOf({ HOME: "a" })]).toEqual(Array(3).fill(databaseHome));
});

it.runIf(isRoot)("of a user that the machine does not know is reported with what to do", () => {
  const user = { uid: NOBODY, gid: NOBODY };
  expect(homeOf({ HOME: "/somewhere" }, user)).toBe("/somewhere");
  for (const env of [{}, { HOME: "a" }])
    expect(homeOf(env, user)).toBe(
      `CONFIG_INVALID The home directory is not known: HOME is not an absolute path, and the user ${NOBODY} has no entry in the user database. Set HOME.`,
    );
});
