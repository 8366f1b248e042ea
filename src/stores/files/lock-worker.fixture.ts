/** A process that holds a lock until it is killed, or counts in a file under it. Started by the lock tests. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileLocks } from "./file-locks.js";
import { openStateDirectory } from "./state-directory.js";

const [state, task, file = "", times = "0"] = process.argv.slice(2);
const locks = fileLocks(openStateDirectory(state));

if (task === "hold") {
  await locks.hold("counter", {}, () => {
    process.send?.("held");
    return new Promise(() => setInterval(() => undefined, 1_000));
  });
} else {
  for (let count = 0; count < Number(times); count += 1) {
    await locks.hold("counter", {}, async () => {
      const old = Number(readFileSync(file, "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
      writeFileSync(file, String(old + 1));
    });
  }
  process.disconnect?.();
}
