/** What `haft call` does while the database of the state cannot be used. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace({ scope: "all" });
const NO_DATABASE = "It is a text, and longer than the header of a database would have to be.\n".repeat(4);

it("runs what needs no state in a session of its own, says so, and leaves the database as it is", async () => {
  const state = join(place.root, "state-of-text");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "state.db"), NO_DATABASE);
  writeFileSync(join(place.workspace, "a.txt"), "words\n");
  const call = (...args: readonly string[]) => place.inProcess(["call", ...args], { env: { HAFT_STATE: state } });
  const read = await call("read", "path=a.txt");
  expect([read.status, read.stdout]).toEqual([0, expect.stringContaining("words")]);
  expect(read.stderr).toMatch(
    /^haft: the session of this workspace cannot be used, so this call has one of its own\. Did not use the state in .*: it is not a SQLite database\./m,
  );
  for (const args of [["read", "path=a.txt", "--session", "mine"], ["todo_read"], ["memory_recall", "query=words"]]) {
    const done = await call(...args);
    expect([args, done.status, done.stdout]).toEqual([args, 1, expect.stringContaining("it is not a SQLite database")]);
  }
  expect(readFileSync(join(state, "state.db"), "utf8")).toBe(NO_DATABASE);
});
