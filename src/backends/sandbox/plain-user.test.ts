import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { withBubblewrap } from "../../testing/programs.fixture.js";
import { SANDBOX_SUITES } from "./conformance.fixture.js";

/** Any user without an entry in the user database. */
const PLAIN_USER = 54_321;
const isRoot = process.getuid?.() === 0;

withBubblewrap("a sandbox of a plain user", () => {
  let built: string;
  beforeAll(() => {
    built = realpathSync(mkdtempSync(join(tmpdir(), "haft-plain-")));
  });
  afterAll(() => rmSync(built, { recursive: true, force: true }));

  // Root here; where the tests run as a plain user, `sandbox-backend.test.ts` is this one.
  it.runIf(isRoot)(
    "conforms, every case",
    async () => {
      const script = await bundleForProcess(new URL("./plain-user.fixture.ts", import.meta.url), built);
      spawnSync("chmod", ["-R", "a+rX", built]);
      const [above, home] = [join(built, "above"), join(built, "home")];
      for (const path of [above, home]) {
        mkdirSync(path);
        chownSync(path, PLAIN_USER, PLAIN_USER);
      }
      const own = [`--reuid=${PLAIN_USER}`, `--regid=${PLAIN_USER}`, "--clear-groups", process.execPath, script, above];
      const env = { PATH: process.env.PATH ?? "", HOME: home };
      const ran = spawnSync("setpriv", own, { env, encoding: "utf8", timeout: 540_000, cwd: "/" });
      expect([ran.status, ran.stderr]).toEqual([0, ""]);
      const played = ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(played.filter(({ problem }) => problem !== null)).toEqual([]);
      expect(played.map(({ id }) => id)).toEqual(SANDBOX_SUITES.flat().map(({ id }) => id));
    },
    600_000,
  );
});
