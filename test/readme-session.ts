/** The session that the README shows: its own files and commands, run by a shell in an empty directory, with what each of them printed. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, cleanEnv } from "../src/testing/built.fixture.js";

/** Each may have a remark, which is printed above it. */
const STEPS: readonly (readonly [remark: string, command: string])[] = [
  ["", "haft call grep pattern=TODO"],
  [
    "a near miss changes nothing, and shows the nearest place",
    "haft call edit path=price.mjs oldText='sum += item.prize;' newText='sum += item.price * item.count;'",
  ],
  ["", "haft call edit path=price.mjs oldText='+= item.price;' newText='+= item.price * item.count;'"],
  ["", "haft call bash command='node check.mjs'"],
  ["what a call would touch, without running it", "haft call delete path=check.mjs --explain"],
  ["what was done here, and whether the log is intact", "haft audit --in ."],
];

/** @param readme - Its `sh` block that begins with `mkdir shop` makes the project. */
export function readmeSession(readme: string): string {
  const [, files] = /^```sh\n(mkdir shop [\s\S]*?)^```/m.exec(readme) ?? [];
  if (files === undefined) throw new Error("the README does not show the files of its session");
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-session-")));
  try {
    // As `npm link` does.
    const bin = join(root, "bin");
    mkdirSync(bin);
    symlinkSync(built("surfaces/cli/main.js"), join(bin, "haft"));
    const env = cleanEnv(join(root, "home"));
    const options = { env: { ...env, PATH: `${bin}:${env.PATH}` }, encoding: "utf8" } as const;
    execFileSync("/bin/sh", ["-ec", files], { ...options, cwd: root });
    const shown = STEPS.flatMap(([remark, command]) => {
      const { stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { ...options, cwd: join(root, "shop") });
      return [...(remark === "" ? [] : [`# ${remark}`]), `$ ${command}`, settled(stdout + stderr, root), ""];
    });
    return shown.join("\n").trimEnd();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** With one directory, one day and one length of time for all, so that each run prints the same. */
function settled(text: string, root: string): string {
  return text
    .trimEnd()
    .replaceAll(root, "/home/ada")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "2026-11-28 10:20:30 UTC")
    .replace(/ {2}[0-9a-f]{12}-\d+$/gm, "  4f1d2c3b5a69-1")
    .replace(/ +\d+ ms/g, "    9 ms")
    .replace(/ +\d\.\d s /g, "    9 ms ");
}
