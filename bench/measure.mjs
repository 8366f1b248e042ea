/** Plays one case: its sides take turns, each in a process of its own, and each figure is the median of the rounds. */
import { fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** A run that takes longer is stopped, and its side fails. */
const TIMEOUT_MS = 40_000;
/** A side whose run takes longer is played once only. */
const LONG_MS = 12_000;

/** `only`, where given, names the sides to play. */
export async function measure({ module, item, layout, scratch, rounds, only }) {
  const names = Object.keys(item.sides).filter((name) => only === undefined || only.includes(name));
  const played = {};
  for (const name of names) played[name] = await begin(name, { module, id: item.id, layout, scratch }, item);
  try {
    for (let round = item.warm === false ? 1 : 0; round <= (item.rounds ?? rounds); round++) {
      for (const [name, side] of Object.entries(played)) {
        if (item.single?.includes(name)) {
          if (round === 1) await play(side, 1, true);
        } else await play(side, item.turns ?? 1, round > 0);
      }
    }
  } finally {
    for (const { worker } of Object.values(played)) await worker.end();
  }
  return { sides: Object.fromEntries(Object.entries(played).map(([name, side]) => [name, summary(side)])) };
}

async function begin(name, about, item) {
  const side = { worker: startWorker(about.scratch), samples: [], failed: undefined };
  const place = { ...about, scratch: join(about.scratch, `${item.id}-${name}`) };
  mkdirSync(place.scratch, { recursive: true });
  if (item.stage !== undefined) {
    const stage = startWorker(about.scratch);
    const answer = await stage.ask({ prepare: { ...place, name: "stage" } });
    await stage.end();
    if (answer.failed !== undefined) throw new Error(`${item.id}: its files could not be made: ${answer.failed}`);
  }
  const answer = await side.worker.ask({ prepare: { ...place, name } }, item.prepareMs);
  if (answer.failed !== undefined) side.failed = answer;
  return side;
}

async function play(side, turns, counts) {
  if (side.failed !== undefined || side.isLong) return;
  const answer = await side.worker.ask({ turns });
  side.isLong = answer.wallMs > LONG_MS;
  if (answer.failed !== undefined) side.failed = answer;
  else if (counts || side.isLong) side.samples.push(answer);
}

function startWorker(home) {
  const child = fork(new URL("./worker.mjs", import.meta.url), {
    stdio: ["ignore", "ignore", process.env.BENCH_TRACE ? "inherit" : "ignore", "ipc"],
    env: { ...process.env, HOME: join(home, "home") },
    detached: true,
  });
  // A message to a worker that has just ended; its exit is reported separately.
  child.on("error", () => {});
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  return {
    /** @param withinMs - For a preparation that makes much. */
    ask: (message, withinMs = TIMEOUT_MS) =>
      new Promise((resolve) => {
        const settle = (answer) => {
          clearTimeout(late);
          child.off("exit", onExit).off("message", settle);
          resolve(answer);
        };
        const onExit = (code, signal) => settle({ failed: `its process ended with ${signal ?? code}`, wallMs: 0 });
        const late = setTimeout(() => {
          kill();
          settle({ failed: `not done after ${withinMs / 1000} s`, wallMs: withinMs });
        }, withinMs);
        child.once("exit", onExit).once("message", settle);
        if (child.connected) child.send(message);
        else onExit(child.exitCode, child.signalCode);
      }),
    async end() {
      if (child.connected) await this.ask({ end: true });
      kill();
    },
  };
}

function summary({ samples, failed, isLong }) {
  if (failed !== undefined) return { failed: failed.failed, wallMs: failed.wallMs };
  const median = (key) => {
    const sorted = samples.map((one) => one[key]).sort((one, other) => one - other);
    const half = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };
  return {
    wallMs: median("wallMs"),
    cpuMs: median("cpuMs"),
    growthMb: median("growthMb"),
    peakMb: Math.max(...samples.map((one) => one.peakMb)),
    once: isLong || samples.length === 1,
    say: samples.at(-1).say,
    wrong: samples.at(-1).wrong,
    values: samples.at(-1).values,
  };
}
