/** Started as a process by `open-ssh.test.ts`, with few descriptors: opens a connection when none is left, and prints why it cannot. */
import { closeSync, openSync } from "node:fs";
import { openSshConnection } from "./ssh-connection.js";

const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // All are open.
}
const failed = await openSshConnection({ destination: "host" }).then(String, (error: Error) => error.message);
for (const one of taken) closeSync(one);
process.stdout.write(failed);
