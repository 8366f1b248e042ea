/**
 * A small command in a sandbox beside bwrap with the arguments of the sandbox, and beside bwrap as one types it; all of them beside the
 * same without bwrap. Skipped where bwrap does not work.
 */
import childProcess, { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
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

async function openIn({ scratch }, on) {
  const workspace = `${scratch}/ws-${on}`;
  // The sandbox opens only with a home directory.
  for (const directory of [workspace, process.env.HOME]) mkdirSync(directory, { recursive: true });
  const box = await openBox(workspace, `${scratch}/state-${on}`, { on });
  // Opens the target.
  await box.must("bash", { command: "true" });
  return box;
}

function inBox(on) {
  return async (place) => {
    const box = await openIn(place, on);
    return { run: () => repeat(() => box.must("bash", { command: "true" })), close: box.close };
  };
}

/** Starts bwrap with nothing but the arguments that a sandbox gives it, which stays open as their directories are its own. */
async function guarded(place) {
  const box = await openIn(place, "sandbox");
  const command = await argumentsOfNext(() => box.must("bash", { command: "true" }));
  return { run: () => repeat(() => ended(command)), close: box.close };
}

/** The command line of the bwrap that `act` starts, with paths where it has descriptors. */
async function argumentsOfNext(act) {
  let command;
  childProcess.spawn = (program, args, options) => {
    const [option, file, ...rest] = args;
    if (option !== "--args") throw new Error(`not the arguments of bwrap: ${args}`);
    const at = (descriptor) => `/proc/self/fd/${options.stdio[Number(descriptor)]}`;
    const given = readFileSync(at(file), "utf8").split("\0").slice(0, -1);
    const typedOut = given.map((one, index) =>
      given[index - 1]?.endsWith("bind-fd") ? readlinkSync(at(one)) : one.replace(/bind-fd$/, "bind"),
    );
    command = [program, ...typedOut, ...rest];
    return spawnBefore(program, args, options);
  };
  const spawnBefore = spawn;
  syncBuiltinESMExports();
  try {
    await act();
  } finally {
    childProcess.spawn = spawnBefore;
    syncBuiltinESMExports();
  }
  if (command === undefined) throw new Error("the sandbox started no process");
  return command;
}

/** What the sandbox adds to `local` is at most so many times what `beside` adds to `sh`; reported only without `factor`. */
function addsAtMost(factor, beside, name) {
  return {
    text: factor === undefined ? `beside what ${name} adds` : `adds ≤ ${factor}x what ${name} adds`,
    judge({ plain, local, ours, [beside]: anchor }) {
      const sides = [plain, anchor, local, ours];
      if (sides.some((side) => side === undefined || side.failed !== undefined))
        return { shown: "nothing to compare with" };
      const [alone, added] = [anchor.wallMs - plain.wallMs, ours.wallMs - local.wallMs];
      return {
        met: factor === undefined ? undefined : added <= alone * factor,
        shown: `${(added / alone).toFixed(2)}x (${added.toFixed(1)} beside ${alone.toFixed(1)} ms)`,
      };
    },
  };
}

export const cases = works
  ? [
      {
        id: "sandbox-command",
        table: "library",
        what: "`true` in a sandbox, beside bwrap with the same arguments, and with few",
        unit: "call",
        goals: [
          addsAtMost(1.1, "guarded", "bwrap with these arguments"),
          addsAtMost(undefined, "raw", "bwrap with few mounts"),
        ],
        sides: {
          plain: typed(["sh", "-c", "true"]),
          raw: typed(["bwrap", ...TYPED, "sh", "-c", "true"]),
          guarded,
          local: inBox("local"),
          ours: inBox("sandbox"),
        },
      },
    ]
  : [];
