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

  /** Plays a fixture as the plain user. @returns The lines that it prints, which are JSON. */
  async function played(
    fixture: string,
  ): Promise<{ readonly above: string; readonly lines: Record<string, unknown>[] }> {
    const directory = join(built, fixture);
    const script = await bundleForProcess(new URL(`./${fixture}.ts`, import.meta.url), directory);
    spawnSync("chmod", ["-R", "a+rX", built]);
    const above = join(directory, "above");
    for (const path of [above, join(above, "home")]) {
      mkdirSync(path);
      chownSync(path, PLAIN_USER, PLAIN_USER);
    }
    const own = [`--reuid=${PLAIN_USER}`, `--regid=${PLAIN_USER}`, "--clear-groups", process.execPath, script, above];
    const env = { PATH: process.env.PATH ?? "", HOME: join(above, "home") };
    const ran = spawnSync("setpriv", own, { env, encoding: "utf8", timeout: 540_000, cwd: "/" });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    return {
      above,
      lines: ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    };
  }

  // Root here; where the tests run as a plain user, `sandbox-backend.test.ts` is this one.
  it.runIf(isRoot)(
    "conforms, every case",
    async () => {
      const { lines } = await played("plain-user.fixture");
      expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
      expect(lines.map(({ id }) => id)).toEqual(SANDBOX_SUITES.flat().map(({ id }) => id));
    },
    600_000,
  );

  it.runIf(isRoot)(
    "names the place where a command has taken away permissions",
    async () => {
      const { above, lines } = await played("permissions.fixture");
      expect(lines).toEqual([
        {
          started: expect.stringMatching(
            new RegExp(
              `^permission denied on "${above}/ws/\\.git/.*"\\. Restore its permissions outside of the sandbox$`,
            ),
          ),
          another: `Did not open "sandbox": permission denied in "${above}/ws" or its ".git". Restore the permissions.`,
          restored: "ran\n",
          closed: "closed",
          left: [],
        },
      ]);
    },
    60_000,
  );
});
