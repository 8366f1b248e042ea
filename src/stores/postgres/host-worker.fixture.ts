/** A process that stands for a host: it counts in documents of a database, or takes approvals. Sends what it got. */
import { postgresState } from "./postgres-state.js";

const [url = "", task, ...rest] = process.argv.slice(2);
const state = postgresState({ url });
const call = { tool: "write", session: "s1", digest: "d1", touches: "t1" };

if (task === "count") {
  // Ten at once over ten documents, so that hosts and calls of one host meet.
  const [updates, documents] = [Number(rest[0]), state.documents("count")];
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let next = done++; next < updates; next = done++)
      await documents.update(`n${next % 10}`, (old) => Number(old ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: 10 }, lane));
} else if (task === "take") {
  const [tokens = [], times = 1] = [JSON.parse(rest[0] ?? "[]") as string[], Number(rest[1])];
  const takes = tokens.flatMap((token) => Array.from({ length: times }, () => state.approvals.take(token, call)));
  process.send?.((await Promise.all(takes)).filter((one) => one.state === "granted").length);
}
await state.close();
process.disconnect?.();
