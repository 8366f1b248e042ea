/** Started as a process by `call-faults.test.ts`: faults of a watched call, then one outside of any call. */
import { EventEmitter } from "node:events";
import { createReadStream } from "node:fs";
import { createCallFaults } from "./call-faults.js";

const faults = createCallFaults();
const settled = new Promise<void>(() => {});
const say = (line: string) => process.stdout.write(`${line}\n`);

function watched(name: string, start: () => void): Promise<void> {
  return new Promise((resolve) => {
    const body = async () => {
      start();
      await settled;
    };
    faults
      .watch(body, (thrown) => {
        say(`${name}: ${(thrown as Error).message}`);
        resolve();
      })
      .catch(() => {});
  });
}

await Promise.all([
  watched("timer", () =>
    setTimeout(() => {
      throw new Error("late");
    }, 5),
  ),
  watched("rejection", () => void Promise.reject(new Error("unheard"))),
  watched("stream", () => void createReadStream("/nowhere/at/all")),
  watched("emitter", () => void setImmediate(() => new EventEmitter().emit("error", new Error("without a listener")))),
]);
say("continues");
if (process.argv[2] === "own") {
  setTimeout(() => {
    throw new Error("of no call");
  }, 5);
}
// Keeps the process alive until the fault has been thrown.
setTimeout(() => {
  say("to the end");
  process.exit(0);
}, 40);
