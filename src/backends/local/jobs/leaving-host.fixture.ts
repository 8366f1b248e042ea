/** Started as a process by `local-shell.test.ts`: leaves without closing its backend, a survivor behind it. */
import { createLocalBackend } from "../local-backend.js";

const { shell } = createLocalBackend().root;
const { stdout } = await shell.exec("sleep 640 & echo $!", { cwd: "/" });
process.stdout.write(stdout.head);
const job = await shell.spawn("sleep 0.1; exit 3", { cwd: "/", lifetime: "session" });
const { exit } = await job.result;
process.stdout.write(`job ended with ${exit.by === "code" ? exit.code : exit.by}\n`);
