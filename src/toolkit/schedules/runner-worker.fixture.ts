/** A host of a test: runs the schedules of a shared state until it is stopped, or killed. */
import { setTimeout as pause } from "node:timers/promises";
import { duePlan, nextDue } from "../../engines/schedule/index.js";
import { hostName, systemClock } from "../../host/index.js";
import { postgresState } from "../../stores/postgres/index.js";
import { sqliteDriver, sqliteState } from "../../stores/sqlite/index.js";
import { createToolkit } from "../create-toolkit.js";
import { ScheduleRunner } from "./schedule-runner.js";
import { runScheduled } from "./scheduled-call.js";

const [store = "", workspace = ""] = process.argv.slice(2);
const state = store.startsWith("postgres:")
  ? postgresState({ url: store })
  : sqliteState({ driver: sqliteDriver()!, path: store });
const toolkit = await createToolkit({ workspace, persist: false, state, autonomy: "full" });
const call = {
  session: (owner: string | undefined) => toolkit.session(undefined, owner === undefined ? {} : { owner }),
  autonomy: "full",
  defaultTarget: "local",
} as const;
const runner = new ScheduleRunner({
  schedules: state.schedules!,
  clock: systemClock,
  host: hostName(),
  leaseMs: process.env.LONG === "1" ? 15_000 : 3_000,
  pollMs: 500,
  places: async () => [`local:${workspace}`],
  plan: duePlan,
  nextDue,
  run: (claimed, signal) => runScheduled(claimed, call, signal),
});
process.on("disconnect", () => process.exit(1));
process.on("message", async () => {
  await runner.stop();
  await toolkit.close();
  await state.close();
  process.exit(0);
});
for (;;) {
  try {
    await runner.start();
    break;
  } catch {
    await pause(50);
  }
}
process.send?.("up");
