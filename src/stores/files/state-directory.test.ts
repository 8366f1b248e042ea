import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HaftError } from "../../kernel/index.js";
import { databaseHome } from "../../testing/database-home.fixture.js";
import { sessionsIn } from "./sessions.fixture.js";
import { openStateDirectory, stateProblem } from "./state-directory.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "haft-state-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

describe("the state directory", () => {
  it("is made only when something asks for a part of it, private to its owner", () => {
    const state = openStateDirectory(join(home, "a", "b"));
    expect(readdirSync(home)).toEqual([]);
    const locks = state.directory("locks");
    expect(locks).toBe(join(home, "a", "b", "locks"));
    expect(statSync(state.path).mode & 0o777).toBe(0o700);
    expect(statSync(locks).mode & 0o777).toBe(0o700);
  });

  it("says so at once where no directory can be made", () => {
    expect(() => openStateDirectory("/proc/haft/state").directory("audit")).toThrow(
      /no directory can be created there.*--state/,
    );
  });

  it("comes from HAFT_STATE before XDG_STATE_HOME before the home directory", () => {
    vi.stubEnv("HOME", home);
    vi.stubEnv("HAFT_STATE", "");
    vi.stubEnv("XDG_STATE_HOME", "");
    expect(openStateDirectory().path).toBe(join(home, ".local/state/haft"));
    vi.stubEnv("XDG_STATE_HOME", "relative/state");
    expect(openStateDirectory().path).toBe(join(home, ".local/state/haft"));
    vi.stubEnv("XDG_STATE_HOME", join(home, "xdg"));
    expect(openStateDirectory().path).toBe(join(home, "xdg", "haft"));
    vi.stubEnv("HAFT_STATE", join(home, "own"));
    expect(openStateDirectory().path).toBe(join(home, "own"));
    for (const [given, path] of [
      ["~", home],
      ["~/own", join(home, "own")],
      ["~own", resolve("~own")],
      ["a/~", resolve("a/~")],
    ] as const) {
      vi.stubEnv("HAFT_STATE", given);
      expect(openStateDirectory().path).toBe(path);
    }
  });

  it.runIf(databaseHome !== undefined)("takes a HOME that is empty or relative for unset", () => {
    vi.stubEnv("XDG_STATE_HOME", "");
    const own = databaseHome ?? "";
    for (const given of ["", "relative"]) {
      vi.stubEnv("HOME", given);
      vi.stubEnv("HAFT_STATE", "");
      expect(openStateDirectory().path).toBe(join(own, ".local/state/haft"));
      vi.stubEnv("HAFT_STATE", "~/own");
      expect(openStateDirectory().path).toBe(join(own, "own"));
    }
  });

  it("names itself and the option when it cannot be written", () => {
    writeFileSync(join(home, "file"), "");
    const state = openStateDirectory(join(home, "file", "state"));
    const error = caught(() => state.directory("audit"));
    expect(error).toMatchObject({ code: "STORE_UNWRITABLE", details: { path: join(home, "file/state/audit") } });
    expect((error as Error).message).toContain("--state DIR");
    expect((error as Error).message).toContain("HAFT_STATE");
    expect(HaftError.is(error)).toBe(true);
  });

  it("is left alone by a process that has it open once a newer version has taken it over", async () => {
    const state = openStateDirectory(join(home, "state"));
    const sessions = sessionsIn(state);
    const session = sessions.open("daily");
    await session.todo.replace([{ id: "1", text: "Write it", status: "pending" }]);
    await session.close();
    expect(readFileSync(join(state.path, "format.json"), "utf8")).toBe('{"format":1}\n');
    writeFileSync(join(state.path, "format.json"), '{"format":3}');
    for (const use of [
      () => state.directory("audit"),
      () => sessions.end("daily"),
      () => openStateDirectory(state.path),
    ])
      expect(caught(use)).toMatchObject({ code: "STORE_NEWER", details: { path: join(state.path, "format.json") } });
    await expect(session.todo.replace([])).rejects.toMatchObject({ code: "STORE_NEWER" });
    expect(readdirSync(state.path).sort()).toEqual(["format.json", "locks", "sessions"]);
    expect(await session.todo.read()).toHaveLength(1);
    expect(stateProblem(state)).toContain("says format 3");
  });

  it("is left alone where its format cannot be read", () => {
    mkdirSync(join(home, "state", "format.json"), { recursive: true });
    const error = caught(() => openStateDirectory(join(home, "state")));
    expect(error).toMatchObject({ code: "STORE_NEWER", details: { path: join(home, "state", "format.json") } });
    expect((error as Error).message).toMatch(
      /cannot be read \(.*Make it readable for this user, or use another directory/,
    );
    expect(stateProblem({ path: join(home, "state") })).toContain("Make it readable");
  });

  it("is left alone, and nothing waits, where its format is a FIFO, a symlink to one, or a dangling symlink", () => {
    const root = join(home, "state");
    const format = join(root, "format.json");
    mkdirSync(root);
    execFileSync("mkfifo", [format, join(home, "fifo")]);
    expect(stateProblem({ path: root })).toContain("cannot be read");
    for (const target of [join(home, "fifo"), join(home, "none"), "format.json"]) {
      rmSync(format);
      symlinkSync(target, format);
      expect(caught(() => openStateDirectory(root))).toMatchObject({ code: "STORE_NEWER" });
    }
    expect(readdirSync(root)).toEqual(["format.json"]);
  });
});

function caught(body: () => unknown): unknown {
  try {
    body();
  } catch (error) {
    return error;
  }
  return undefined;
}
