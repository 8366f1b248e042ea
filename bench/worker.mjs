/** One side of one case in a process of its own: prepares once, then runs when it is told and reports what that cost. */
import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** CPU milliseconds of this process and of the children it has waited for. */
function cpuMs() {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
  return ((user + system + childUser + childSystem) * 1000) / TICKS_PER_SECOND;
}

function peakMb() {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024);
}

process.on("disconnect", () => process.exit(0));
process.on("message", async (message) => {
  try {
    if (message.prepare !== undefined) {
      const { module, id, side, layout, scratch } = message.prepare;
      const { cases } = await import(module);
      const item = cases.find((one) => one.id === id);
      globalThis.run = await item[side]({ layout, scratch });
      process.send({ ready: true });
      return;
    }
    const cpuBefore = cpuMs();
    const began = process.hrtime.bigint();
    const note = await globalThis.run();
    const wallMs = Number(process.hrtime.bigint() - began) / 1e6;
    process.send({ wallMs, cpuMs: cpuMs() - cpuBefore, peakMb: peakMb(), note });
  } catch (error) {
    process.send({ failed: String(error?.stack ?? error) });
  }
});
