/** Started as a process by `open-ssh.test.ts`: a host that exits, or is killed, without closing its backend. */
import { openSsh } from "./open-ssh.js";

const [destination = "", config = ""] = process.argv.slice(2);
await openSsh({ destination, config, orphanMs: 1_000 });
process.stdout.write("ready\n");
process.stdin.once("data", () => process.exit(0));
