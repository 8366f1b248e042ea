/** Started as a process by `fs-replace.test.ts`: replaces one file and says how, or how it failed. */
import { messageOf } from "../../kernel/index.js";
import { createLocalBackend } from "./local-backend.js";

const [path, what] = process.argv.slice(2) as [string, string];
const { fs } = createLocalBackend({ watcher: false }).root;
const data = /^\d+$/.test(what) ? new Uint8Array(Number(what)).fill(110) : new TextEncoder().encode("replaced");
if (/^\d+$/.test(what)) process.stdout.write("begins\n");
try {
  const { inPlace } = await fs.replaceAtomic(path, data, "any");
  process.stdout.write(inPlace ? "in place\n" : "renamed\n");
} catch (thrown) {
  process.stdout.write(`${(thrown as { code?: string }).code ?? messageOf(thrown)}\n`);
}
