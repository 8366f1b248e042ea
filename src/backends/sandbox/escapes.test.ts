import { spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { withBubblewrap } from "../../testing/programs.fixture.js";

/** Any user without an entry in the user database. */
const PLAIN_USER = 54_321;
const OWN = process.getuid?.() ?? 0;
const isRoot = OWN === 0;
const USERS: readonly (readonly [string, number])[] = isRoot
  ? [
      ["root", OWN],
      ["a plain user", PLAIN_USER],
    ]
  : [["this user", OWN]];

let built: string;
let script: string;
beforeAll(async () => {
  built = realpathSync(mkdtempSync(join(tmpdir(), "haft-escapes-")));
  script = await bundleForProcess(new URL("./escapes.fixture.ts", import.meta.url), built);
  // The other user reads it too.
  spawnSync("chmod", ["-R", "a+rX", built]);
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** Row → what of it got out. The process inherits open descriptors of a file with the secret. */
function tried(as: "sandbox" | "local", user: number): Record<string, string[]> {
  const above = join(built, `${as}-${user}`);
  mkdirSync(join(above, "world"), { recursive: true });
  writeFileSync(join(above, "open"), "s3cret-of-the-host");
  for (const path of [above, join(above, "world"), join(above, "open")]) chownSync(path, user, user);
  const secret = openSync(join(above, "open"), "r");
  const own = user === OWN ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const [program = "", ...args] = [...own, process.execPath, script, join(above, "world"), as];
  const env = { PATH: process.env.PATH ?? "", HOME: join(above, "world", "home"), SSH_AUTH_SOCK: "s3cret-of-the-host" };
  const stdio = ["ignore", "pipe", "pipe", secret, ...Array<"ignore">(36).fill("ignore"), secret] as const;
  const ran = spawnSync(program, args, { env, stdio: [...stdio], encoding: "utf8", timeout: 240_000, cwd: "/" });
  closeSync(secret);
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  const lines = readFileSync(join(above, `${as}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map(({ name, out }) => [name, out]));
}

withBubblewrap("ways out of the sandbox", () => {
  it.each(USERS)(
    "none works, for %s",
    (_, user) => {
      const rows = tried("sandbox", user);
      expect(Object.keys(rows).length).toBeGreaterThan(50);
      expect(Object.entries(rows).filter(([, out]) => out.length > 0)).toEqual([]);
    },
    300_000,
  );

  it("those that need no privilege work without it, so that the table can fail", () => {
    const rows = tried("local", isRoot ? PLAIN_USER : OWN);
    expect(Object.entries(rows).filter(([, out]) => out.length === 0)).toEqual([]);
  }, 300_000);
});
