/** What a SQLite state says to a user who may not read or write its file. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { sqliteDriver } from "./sqlite-driver.js";
import { sqliteState } from "./sqlite-state.js";

/** Any user without an entry in the user database. Root could write all the same. */
const PLAIN_USER = 54_321;
const asUser = process.getuid?.() === 0 ? { uid: PLAIN_USER, gid: PLAIN_USER } : {};

let root: string;
let script: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-sqlite-users-")));
  script = await bundleForProcess(new URL("./reading-user.fixture.ts", import.meta.url), join(root, "built"));
  spawnSync("chmod", ["-R", "a+rX", root]);
}, 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

let directory: string;
let path: string;
beforeEach(async () => {
  directory = mkdtempSync(join(root, "state-"));
  path = join(directory, "state.db");
  const state = sqliteState({ driver: sqliteDriver()!, path });
  await state.documents("notes").update("k1", () => "kept");
  await state.close();
  const files = readdirSync(directory).map((name) => join(directory, name));
  if (asUser.uid !== undefined) for (const one of [directory, ...files]) chownSync(one, asUser.uid, asUser.gid);
});

function asPlainUser() {
  const ran = spawnSync(process.execPath, [script, path], { ...asUser, cwd: "/", encoding: "utf8", timeout: 60_000 });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  return JSON.parse(ran.stdout);
}

/** The error for a user who cannot do something for this reason. */
const unwritable = (reason: string) => ({
  code: "STORE_UNWRITABLE",
  message: `Did not use the state in "${path}": ${reason}. Make it and its directory writable for this user, or use another state directory.`,
});

it("can be read and changed by the user whose it is", () => {
  expect(asPlainUser()).toEqual({ read: "done", changed: "done", problem: null });
});

it("can be read where its file is read-only, and says that it cannot be written", () => {
  chmodSync(path, 0o400);
  const before = readFileSync(path);
  const changed = unwritable("it cannot be written");
  expect(asPlainUser()).toEqual({ read: "done", changed, problem: null });
  expect(readFileSync(path).equals(before)).toBe(true);
});

it("says that it cannot be opened where its file cannot be read", () => {
  chmodSync(path, 0);
  const refused = unwritable("it cannot be opened");
  expect(asPlainUser()).toEqual({ read: refused, changed: refused, problem: "it cannot be opened" });
});

it("is not taken for empty where its directory cannot be entered", () => {
  chmodSync(directory, 0);
  const reason = `EACCES: permission denied, lstat '${path}'`;
  const refused = unwritable(reason);
  expect(asPlainUser()).toEqual({ read: refused, changed: refused, problem: reason });
});
