/** A process that works on a state directory of a test: counts in a document, takes an approval, or adds requests until it is killed. */
import type { ApprovalRequest } from "../../kernel/index.js";
import { fileLocks } from "./file-locks.js";
import { fileState } from "./file-state.js";
import { openStateDirectory } from "./state-directory.js";

const [path, task, ...rest] = process.argv.slice(2);
const directory = openStateDirectory(path);
const state = fileState({ state: directory, locks: fileLocks(directory) });
const { approvals } = state;
const call = { tool: "write", session: "s1", digest: "d1", touches: "t1" };

if (task === "count") {
  for (let count = 0; count < Number(rest[0]); count += 1)
    await state.documents("count").update("n", (old) => Number(old ?? 0) + 1);
} else if (task === "take") {
  const taken = await Promise.all(Array.from({ length: Number(rest[1]) }, () => approvals.take(rest[0] ?? "", call)));
  process.send?.(taken.map((one) => one.state));
} else if (task === "add") {
  // Reports each token only once it is stored, until it is killed. Each is of its own session, which holds a limited number.
  for (let count = 0; ; count += 1) {
    const token = `approval-${process.pid}-${count}`;
    await approvals.add({
      request: { token, reason: "It writes." } as unknown as ApprovalRequest,
      call: { ...call, session: token },
    });
    process.send?.(token);
  }
} else if (task === "decide") {
  process.send?.(await approvals.decide(rest[0] ?? "", { granted: rest[1] ?? "" }));
}
process.disconnect?.();
