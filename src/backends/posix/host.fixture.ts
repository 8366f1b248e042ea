/** Started as a process by `posix-life.test.ts`: a host whose commands run until they are killed. */
import { openLocalPosix } from "./open-local-posix.js";

const [shell, directory, stateDir] = process.argv.slice(2) as [string, string, string];
const backend = await openLocalPosix({ shell, stateDir, env: ["HAFT_TEST_MARK"] });
const at = { cwd: directory };
void backend.root.shell.exec("echo $$ > plain; exec sleep 600", at);
void backend.root.shell.exec("trap '' TERM; echo $$ > deaf; while :; do sleep 0.1; done", at);
void backend.root.shell.exec("setsid sh -c 'echo $$ > apart; exec sleep 600' & exec sleep 600", at);
await backend.root.shell.exec("setsid sh -c 'echo $$ > survivor; exec sleep 600' >/dev/null 2>&1 &", at);
await backend.root.shell.spawn("echo $$ > job; exec sleep 600", { ...at, lifetime: "host" });
await backend.root.fs.writeFile(`${directory}/written`, "x");
process.stdout.write("ready\n");
