/** One side of one case in a process of its own: prepares once, then runs on request and reports what each run cost. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;
let side;

/** CPU milliseconds of a process and of the children it has waited for. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
  return ((user + system + childUser + childSystem) * 1000) / TICKS_PER_SECOND;
}

function memoryMb(pid, field) {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

/** The most that was taken, from here on; what preparing took is forgotten. */
function forgetPeaks(pids) {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

async function prepare({ module, id, name, layout, scratch }) {
  mkdirSync(scratch, { recursive: true });
  const { cases } = await import(module);
  const item = cases.find((one) => one.id === id);
  if (name === "stage") return item.stage({ layout, scratch });
  const made = await item.sides[name]({ layout, scratch });
  side = typeof made === "function" ? { run: made } : made;
}

/** `turns` runs, reported as one: time and CPU of each, the most memory of all. */
async function sample(turns) {
  await side.before?.();
  const pids = side.pids?.() ?? ["self"];
  forgetPeaks(pids);
  const sum = (of) => pids.reduce((total, pid) => total + of(pid), 0);
  const [cpuBefore, restMb] = [sum(cpuMs), sum((pid) => memoryMb(pid, "VmRSS"))];
  const began = performance.now();
  let last;
  for (let turn = 0; turn < turns; turn++) last = await side.run();
  const wallMs = performance.now() - began;
  const peakMb = side.peakMb?.() ?? Math.round(sum((pid) => memoryMb(pid, "VmHWM")));
  const calls = turns * (last?.calls ?? 1);
  const measured = { wallMs: wallMs / calls, cpuMs: (sum(cpuMs) - cpuBefore) / calls, peakMb };
  return { ...measured, growthMb: Math.round(peakMb - restMb), ...(typeof last === "object" ? last : {}) };
}

process.on("disconnect", () => process.exit(0));
process.on("message", async (message) => {
  const began = performance.now();
  try {
    if (message.prepare !== undefined) await prepare(message.prepare);
    if (message.end) await side?.close?.();
    process.send(message.turns === undefined ? { ready: true } : await sample(message.turns));
  } catch (error) {
    if (process.env.BENCH_TRACE) console.error(error);
    process.send({ failed: String(error?.message ?? error).slice(0, 300), wallMs: performance.now() - began });
  }
});
