/** Started as a process by `signal.test.ts`: signals in every way that must send nothing, and in the ways that must. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { processEntry, processStart } from "./process-table.js";
import { killAfter, processExists, type SignalTarget, sendSignal } from "./signal.js";

export interface SignalsSent {
  /** Targets that got a signal although they must not. */
  readonly wrong: readonly string[];
  /** Names of those that must and did. */
  readonly right: readonly string[];
}

const wrong: string[] = [];
const right: string[] = [];
const refuse = (name: string, target: unknown) => {
  if (sendSignal(target as SignalTarget, "SIGKILL")) wrong.push(name);
};
const gone = (child: ChildProcess) => new Promise((resolve) => child.once("exit", resolve));

const own = processEntry(process.pid)!;
for (const number of [0, 1, -1, -2, 2.5, Number.NaN, Number.POSITIVE_INFINITY, "5", null, undefined, process.pid]) {
  const start = processStart(number as number) ?? own.start;
  refuse(`pid ${number}`, { pid: number, start });
  refuse(`group ${number}`, { group: number, start });
}
// Our own group is led by the parent process.
refuse("own group", { group: own.group, start: processStart(own.group) });

// No child gets a descriptor for its pipes.
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // All descriptors are used.
}
const unstarted = Array.from({ length: 50 }, () => spawn("sleep", ["600"], { stdio: "pipe", detached: true }));
for (const child of unstarted) {
  child.once("error", () => {});
  if (child.pid !== undefined) wrong.push("a child that was started all the same");
  refuse("unstarted child", child);
  refuse("group of an unstarted child", { groupOf: child });
  killAfter(child, 1);
}
await new Promise((resolve) => setTimeout(resolve, 50));
for (const one of taken) closeSync(one);
const absent = spawn("/no/such/program");
absent.once("error", () => {});
refuse("child of no program", absent);

const start = (detached: boolean) => spawn("sleep", ["600"], { stdio: "ignore", detached });
const one = start(false);
refuse("group of a child that leads none", { groupOf: one });
refuse("another start", { pid: one.pid, start: processStart(one.pid!)! + 1 });
refuse("another start of a group", { group: one.pid, start: 1 });
refuse("a group that it does not lead", { group: one.pid, start: processStart(one.pid!) });
if (!processExists(one.pid!)) wrong.push("a probe of a child that runs");
sendSignal(one, "SIGTERM");
await gone(one);
right.push(`child ${one.signalCode}`);
refuse("ended child", one);
refuse("group of an ended child", { groupOf: one });
if (processExists(one.pid!)) wrong.push("a probe of an ended child");
for (const number of [0, -1, 1.5, Number.NaN]) if (processExists(number)) wrong.push(`probe ${number}`);
if (!processExists(process.pid)) wrong.push("a probe of itself");

const [two, three, four, five] = [start(false), start(true), start(true), start(false)];
sendSignal({ pid: two.pid!, start: processStart(two.pid!)! }, "SIGINT");
sendSignal({ groupOf: three }, "SIGTERM");
sendSignal({ group: four.pid!, start: processStart(four.pid!)! }, "SIGHUP");
killAfter(five, 1);
await Promise.all([two, three, four, five].map(gone));
right.push(...[two, three, four, five].map(({ signalCode }, index) => `${index} ${signalCode}`));

process.stdout.write(JSON.stringify({ wrong, right } satisfies SignalsSent));
