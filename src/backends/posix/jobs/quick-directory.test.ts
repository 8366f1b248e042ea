import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openLocalPosix } from "../open-local-posix.js";

vi.setConfig({ testTimeout: 60_000 });

/** As the remote side decides. */
const isUsed = existsSync("/dev/shm") && !existsSync("/run/systemd/system") && !existsSync("/run/elogind.pid");
const why = isUsed ? "" : " (cannot: here nothing is kept in /dev/shm)";

it.skipIf(!isUsed).each([
  ["", "true"],
  [", also if a command has removed the spool directory", 'rm -rf "$TMPDIR"/haft-*'],
])(`what is kept in memory ends with the channel%s${why}`, async (_, command) => {
  const place = mkdtempSync(join(tmpdir(), "haft-t-"));
  const backend = await openLocalPosix({ shell: "dash", setEnv: { TMPDIR: place } });
  const [spool = ""] = readdirSync(place);
  const quick = join("/dev/shm", spool);
  expect([spool !== "", existsSync(quick)]).toEqual([true, true]);
  await backend.root.shell.exec(command, { cwd: "/" });
  await backend.close();
  await vi.waitUntil(() => !existsSync(quick) && readdirSync(place).length === 0, { timeout: 30_000 });
  rmSync(place, { recursive: true });
});
