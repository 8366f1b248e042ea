/** A background command: from its start to the first byte that it prints, and from the word to stop to its end. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { atMost, atMostMore } from "../goals.mjs";
import { openBox } from "../tools/haft.mjs";

const COMMAND = "echo ready; exec sleep 60";

function rawStart() {
  const child = spawn("sh", ["-c", COMMAND], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const exit = once(child, "exit");
  const stop = async () => {
    process.kill(-child.pid, "SIGTERM");
    await exit;
  };
  return { ready: once(child.stdout, "data"), stop };
}

async function ourStart(box) {
  let said = await box.must("process", { action: "start", command: COMMAND });
  const [id] = /job-\d+/.exec(said);
  while (!said.includes("\nready")) said = await box.must("process", { action: "poll", id });
  return { stop: () => box.must("process", { action: "stop", id }) };
}

/** Times one half of a command's life; the other half goes unmeasured. */
async function timed(start, half) {
  const began = performance.now();
  const job = await start();
  await job.ready;
  const wallMs = performance.now() - began;
  const stopped = performance.now();
  await job.stop();
  return half === "start" ? wallMs : performance.now() - stopped;
}

/** The median of some, so that one sample is not one command. */
const COMMANDS = 15;
async function median(start, half) {
  const all = [];
  for (let turn = 0; turn < COMMANDS; turn++) all.push(await timed(start, half));
  return { wallMs: all.sort((one, other) => one - other)[COMMANDS >> 1], cpuMs: undefined };
}

function processCase(id, what, half, goals) {
  return {
    id,
    table: "library",
    what,
    goals,
    sides: {
      raw: async () => () => median(rawStart, half),
      ours: async ({ scratch }) => {
        const box = await openBox(scratch, `${scratch}/state`);
        return () => median(() => ourStart(box), half);
      },
    },
  };
}

export const cases = [
  processCase("process-start", "from the start to the first byte of output", "start", [atMostMore(2)]),
  processCase("process-stop", "from the word to stop to the end", "stop", [atMost(5)]),
];
