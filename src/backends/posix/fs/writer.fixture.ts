/** Started as a process by `posix-replacing.test.ts`: a host that replaces one file. */
import { openLocalPosix } from "../open-local-posix.js";

const [path, size, stateDir] = process.argv.slice(2) as [string, string, string];
const backend = await openLocalPosix({ shell: "dash", stateDir, orphanMs: 20_000 });
await backend.root.fs.writeFile(path, new Uint8Array(Number(size)).fill(110));
