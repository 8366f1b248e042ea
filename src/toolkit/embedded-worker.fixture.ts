/** A process that works on the state of a state directory: `node embedded-worker STATE TASK …`, until it is done or killed. */
import type { ApprovalRequest } from "../kernel/index.js";
import { openEmbedded } from "./open-state.js";

const [path, task, ...rest] = process.argv.slice(2);
const { state } = await openEmbedded(path);
const call = { tool: "write", session: "s1", digest: "d1", touches: "t1" };

if (task === "count") {
  for (let count = 0; count < Number(rest[0]); count += 1)
    await state.documents("count").update("n", (old) => Number(old ?? 0) + 1);
} else if (task === "remember") {
  for (let count = 0; count < Number(rest[0]); count += 1)
    await state.memories!("n").store({
      key: `${process.pid}-${count}`,
      content: "one of many",
      category: "core",
      tags: [],
    });
} else if (task === "take") {
  // Reports each one before it asks for the next.
  for (const token of rest) {
    const taken = await state.approvals.take(token, call);
    if (taken.state === "granted") process.send?.(token);
  }
} else if (task === "store") {
  // Reports each only once it is stored. Each request is of its own session, which holds a limited number.
  for (let count = 0; ; count += 1) {
    const id = `${process.pid}-${count}`;
    const session = await state.sessions.open(id);
    await state.documents("pairs", session).update("one", () => [id, id]);
    await state.documents("pairs").update(id, () => [id, "x".repeat(count * 100), id]);
    const request = { token: id, reason: "It writes." } as unknown as ApprovalRequest;
    if (count < 15) await state.approvals.add({ request, call: { ...call, session: id } });
    process.send?.(id);
  }
} else if (task === "open") {
  await state.documents("pairs").get("any");
  process.send?.("opened");
}
await state.close();
process.disconnect?.();
