/** The session that the README shows: its own files and commands, run by a shell in an empty directory, with what each of them printed. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, cleanEnv } from "../src/testing/built.fixture.js";

/** Each may have a remark, which is printed above it, and an answer, which is typed at a terminal when the user is asked. */
const STEPS: readonly (readonly [remark: string, command: string, answer?: string])[] = [
  ["", "haft call grep pattern=TODO"],
  [
    "a near miss changes nothing, and shows the nearest place",
    "haft call edit path=price.mjs oldText='sum += item.prize;' newText='sum += item.price * item.count;'",
  ],
  ["", "haft call edit path=price.mjs oldText='+= item.price;' newText='+= item.price * item.count;'"],
  [
    "what runs code of the project asks first; p: once for this project",
    "haft call bash command='node check.mjs'",
    "p",
  ],
  ["what a call would touch, without running it", "haft call delete path=check.mjs --explain"],
  ["what a call changed in files can be undone, and the undoing too", "haft undo --last"],
  ["what was done here, and whether the log is intact", "haft audit --in ."],
];

/** @param readme - Its `sh` block that begins with `mkdir shop` makes the project. */
export async function readmeSession(readme: string): Promise<string> {
  const [, files] = /^```sh\n(mkdir shop [\s\S]*?)^```/m.exec(readme) ?? [];
  if (files === undefined) throw new Error("the README does not show the files of its session");
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-session-")));
  try {
    // As `npm link` does.
    const bin = join(root, "bin");
    mkdirSync(bin);
    symlinkSync(built("surfaces/cli/main.js"), join(bin, "haft"));
    const { HAFT_AUTONOMY: _, ...env } = cleanEnv(join(root, "home"));
    const options = { env: { ...env, PATH: `${bin}:${env.PATH}` }, encoding: "utf8" } as const;
    execFileSync("/bin/sh", ["-ec", files], { ...options, cwd: root });
    const shown: string[] = [];
    for (const [remark, command, answer] of STEPS) {
      const there = { ...options, cwd: join(root, "shop") };
      const text = answer === undefined ? printed(command, there) : await typed(command, answer, there);
      shown.push(...(remark === "" ? [] : [`# ${remark}`]), `$ ${command}`, settled(text, root), "");
    }
    return shown.join("\n").trimEnd();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

function printed(command: string, place: Place): string {
  const { stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { ...place, encoding: "utf8" });
  return stdout + stderr;
}

/** What a terminal shows of it, with the answer of its user. */
function typed(command: string, answer: string, { env, cwd }: Place): Promise<string> {
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: { ...env, TERM: "xterm", NO_COLOR: "1" } });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const isAsked = shown.includes("/N] ");
    shown += chunk.toString();
    if (!isAsked && shown.includes("/N] ")) child.stdin.write(`${answer}\n`);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(shown.replaceAll("\r\n", "\n").trimStart()));
  });
}

/** With one directory, one day and one length of time for all, so that each run prints the same. */
function settled(text: string, root: string): string {
  return text
    .trimEnd()
    .replaceAll(root, "/home/ada")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "2026-11-28 10:20:30 UTC")
    .replace(/ {2}[0-9a-f]{12}-\d+$/gm, "  4f1d2c3b5a69-1")
    .replace(/\b0[a-z0-9]{8}-[0-9a-f]{6}\b(?= redoes|`)/g, "0mx0redo1-5e6f70")
    .replace(/\b0(?!mx0redo1)[a-z0-9]{8}-[0-9a-f]{6}\b/g, "0mx0edit1-1a2b3c")
    .replace(/(approval granted by) [^)]+(?=\))/g, "$1 ada")
    .replace(/ +\d+ ms/g, "    9 ms")
    .replace(/ +\d\.\d s /g, "    9 ms ");
}
