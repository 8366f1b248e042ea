/** Started as a process by `killed-host.test.ts`: a host with commands and a job in a sandbox, until it is killed. */
import { createSandboxBackend } from "./index.js";

const [workspace = "", mark = ""] = process.argv.slice(2);
const { root } = await createSandboxBackend({ cwd: workspace });
void root.shell.exec(`sleep ${mark}1 & sleep ${mark}2`, { cwd: workspace });
void root.shell.exec(`setsid sleep ${mark}3 & exec setsid sleep ${mark}4`, { cwd: workspace });
setInterval(() => {}, 1_000);
