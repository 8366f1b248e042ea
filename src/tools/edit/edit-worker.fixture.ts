/** A process that edits its own lines of a shared file, one after the other. Started by the tests of the tools. */
import { createLocalBackend } from "../../backends/local/index.js";
import { fileLocks, openStateDirectory } from "../../stores/files/index.js";
import { toolBench } from "../tool-bench.fixture.js";

const [state, directory = "", worker = "", count = "0"] = process.argv.slice(2);
const backend = createLocalBackend({ cwd: directory });
const bench = toolBench({ backend, host: { locks: fileLocks(openStateDirectory(state)) } });
for (let line = 0; line < Number(count); line++) {
  const edits = [{ oldText: `${worker}-${line}-old`, newText: `${worker}-${line}-new` }];
  const { isError, message } = await bench.call("edit", { path: "shared.txt", edits });
  if (isError) throw new Error(message);
}
await backend.close();
process.disconnect?.();
