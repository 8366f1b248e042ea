/** Started as a process by `jobs.test.ts`: a host with ten jobs, each with a child in a session of its own, and one to be kept. */
import { createLocalBackend } from "../local-backend.js";

const [stateDir, directory] = process.argv.slice(2) as [string, string];
const backend = createLocalBackend({ stateDir });
const { shell } = backend.root;
const ids: string[] = [];
for (let number = 0; number < 10; number += 1) {
  const command = `echo $$ > pid-${number}; setsid sh -c 'echo $$ > child-${number}; exec sleep 600' & printf 'out ${number}\n'; printf 'err ${number}\n' >&2; exec sleep 600`;
  const job = await shell.spawn(command, { cwd: directory, lifetime: number % 2 === 0 ? "session" : "host" });
  ids.push(job.id);
}
const counting =
  "echo $$ > kept; n=0; while [ ! -e stop ] && [ $n -lt 6000 ]; do n=$((n + 1)); echo line $n; sleep 0.01; done; exit 7";
const kept = await shell.spawn(counting, { cwd: directory, lifetime: "keep" });
ids.push(kept.id);
process.stdout.write(`${JSON.stringify(ids)}\n`);
