/**
 * A small command in a sandbox beside bwrap with the arguments of the sandbox, and beside bwrap as one types it; all of them beside the
 * same without bwrap. A goal compares two differences, which are small beside what processes and minutes differ: so all sides take turns
 * command by command in one process. Skipped where bwrap does not work.
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

async function openIn({ scratch }, on) {
  const workspace = `${scratch}/ws-${on}`;
  // The sandbox opens only with a home directory.
  for (const directory of [workspace, process.env.HOME]) mkdirSync(directory, { recursive: true });
  const box = await openBox(workspace, `${scratch}/state-${on}`, { on });
  // Opens the target.
  await box.must("bash", { command: "true" });
  return box;
}

async function inTurns(place) {
  const [sandbox, local] = [await openIn(place, "sandbox"), await openIn(place, "local")];
  const command = { command: "true" };
  // Nothing but the arguments that the sandbox gives it; their directories are there as long as it is open.
  const guarded = await argumentsOfNext(() => sandbox.must("bash", command));
  const acts = {
    plain: () => ended(["sh", "-c", "true"]),
    few: () => ended(["bwrap", ...TYPED, "sh", "-c", "true"]),
    guarded: () => ended(guarded),
    local: () => local.must("bash", command),
    ours: () => sandbox.must("bash", command),
  };
  const names = Object.keys(acts);
  const runs = [];
  const run = async () => {
    const meanMs = Object.fromEntries(names.map((name) => [name, 0]));
    for (let turn = 0; turn < COMMANDS; turn++)
      for (let position = 0; position < names.length; position++) {
        const name = names[(turn + position) % names.length];
        const began = performance.now();
        await acts[name]();
        meanMs[name] += (performance.now() - began) / COMMANDS;
      }
    runs.push(meanMs);
    // The first run warms up.
    const counted = runs.length > 1 ? runs.slice(1) : runs;
    const values = Object.fromEntries(names.map((name) => [name, median(counted.map((one) => one[name]))]));
    return { calls: COMMANDS, wallMs: meanMs.ours, cpuMs: undefined, values };
  };
  return { run, close: () => Promise.all([sandbox.close(), local.close()]) };
}

function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[sorted.length >> 1];
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
    judge({ ours }) {
      if (ours.values === undefined) return { shown: "nothing to compare with" };
      const { values } = ours;
      const [alone, added] = [values[beside] - values.plain, values.ours - values.local];
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
          addsAtMost(undefined, "few", "bwrap with few mounts"),
        ],
        sides: { ours: inTurns },
      },
    ]
  : [];
