/** A small command in a sandbox beside bwrap typed by hand, and both beside the same without bwrap. Skipped where bwrap does not work. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { openBox } from "../tools/haft.mjs";

const COMMANDS = 50;
const TYPED = [
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
  ...[
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
    "--new-session",
    "--clearenv",
  ],
  ...["--setenv", "PATH", "/usr/bin:/bin", "--chdir", "/", "--"],
];

const works = spawnSync("bwrap", [...TYPED, "true"]).status === 0;
if (!works) console.error("skipped: cases of the sandbox: bwrap does not work here");

function ended([program, ...args]) {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", failed);
    child.on("close", (code) => (code === 0 ? done() : failed(new Error(`${program} ended with ${code}`))));
  });
}

async function repeat(act) {
  for (let turn = 0; turn < COMMANDS; turn++) await act();
  return { calls: COMMANDS };
}

const typed = (command) => async () => () => repeat(() => ended(command));

function inBox(on) {
  return async ({ scratch }) => {
    const workspace = `${scratch}/ws-${on}`;
    // The sandbox opens only with a home directory.
    for (const directory of [workspace, process.env.HOME]) mkdirSync(directory, { recursive: true });
    const box = await openBox(workspace, `${scratch}/state-${on}`, { on });
    // Opens the target.
    await box.must("bash", { command: "true" });
    return { run: () => repeat(() => box.must("bash", { command: "true" })), close: box.close };
  };
}

/** What the sandbox adds to `local` is at most what bwrap adds to `sh`, and a tenth of that. */
const addsLikeBwrap = {
  text: "adds ≤ 1.1x what bwrap adds",
  judge({ plain, raw, local, ours }) {
    const sides = [plain, raw, local, ours];
    if (sides.some((side) => side === undefined || side.failed !== undefined))
      return { shown: "nothing to compare with" };
    const [byHand, added] = [raw.wallMs - plain.wallMs, ours.wallMs - local.wallMs];
    return { met: added <= byHand * 1.1, shown: `${(added / byHand).toFixed(2)}x` };
  },
};

export const cases = works
  ? [
      {
        id: "sandbox-command",
        table: "library",
        what: "`true` in a sandbox, beside bwrap by hand",
        unit: "call",
        goals: [addsLikeBwrap],
        sides: {
          plain: typed(["sh", "-c", "true"]),
          raw: typed(["bwrap", ...TYPED, "sh", "-c", "true"]),
          local: inBox("local"),
          ours: inBox("sandbox"),
        },
      },
    ]
  : [];
