/** A command takes away the permissions of `.git`. Started as a plain user by `plain-user.test.ts`; prints what happens as JSON. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../kernel/index.js";
import { createSandboxBackend } from "./index.js";

const [above = ""] = process.argv.slice(2);
const [cwd, tmp] = [join(above, "ws"), join(above, "tmp")];
for (const path of [cwd, tmp, join(cwd, ".git")]) mkdirSync(path);
writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n");
process.env.TMPDIR = tmp;

const open = () => createSandboxBackend({ cwd, home: join(above, "home") });
const backend = await open();
const run = async (command: string) => {
  const { problem, stdout } = await backend.root.shell.exec(command, { cwd, timeoutMs: 20_000 });
  return problem ?? Buffer.from(stdout.head).toString();
};
await run("chmod 000 .git");
const started = await run("echo ran");
const another = await open().then(() => "opened", messageOf);
chmodSync(join(cwd, ".git"), 0o700);
const restored = await run("echo ran");
await run("chmod 000 .git");
const closed = await backend.close().then(() => "closed", messageOf);
console.log(JSON.stringify({ started, another, restored, closed, left: readdirSync(tmp) }));
