/** Started as a process by `process-channel.test.ts`: opens a channel when all descriptors are used, and prints the error. */
import { closeSync, openSync } from "node:fs";
import { messageOf } from "../../../kernel/index.js";
import { processChannel } from "./channel.js";

const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // All descriptors are used.
}
const opened = await processChannel(["sh"])().then(() => "opened", messageOf);
for (const one of taken) closeSync(one);
process.stdout.write(opened);
