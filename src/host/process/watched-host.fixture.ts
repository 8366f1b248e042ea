/** Started as a process by `watcher.test.ts`: a host whose commands run until they are killed. */
import { createLocalBackend } from "../../backends/local/local-backend.js";

const [stateDir, directory] = process.argv.slice(2) as [string, string];
const backend = createLocalBackend({ stateDir });
const { shell } = backend.root;
const at = { cwd: directory };

// A running call, with a child in a session of its own.
void shell.exec("echo $$ > in-flight; setsid sh -c 'echo $$ > in-session; exec sleep 611' & exec sleep 610", at);
// Ignores TERM.
void shell.exec("trap '' TERM; echo $$ > deaf; while :; do sleep 0.1; done", at);
// Survivors of settled calls: one without our descriptors, one without our environment, one that is a grandchild.
await shell.exec("setsid sh -c 'echo $$ > survivor; exec sleep 612' >/dev/null 2>&1 &", at);
await shell.exec("env -i sh -c 'echo $$ > no-environment; exec sleep 613' >/dev/null 2>&1 &", at);
await shell.exec("(setsid sh -c 'sh -c \"echo \\$\\$ > twice-removed; exec sleep 614\" &' >/dev/null 2>&1 &)", at);
// A job of the session, and one that is kept.
await shell.spawn("echo $$ > job; exec sleep 615", { ...at, lifetime: "session" });
await shell.spawn("echo $$ > kept; exec sleep 616", { ...at, lifetime: "keep" });
// These have ended: the watcher must not signal processes that reuse their pids.
for (let round = 0; round < 5; round++) await shell.exec("true", at);
process.stdout.write("ready\n");
