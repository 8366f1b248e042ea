import { expect, it } from "vitest";
import { memoryState } from "../stores/memory/index.js";
import { boundState } from "./bound-state.js";
import { type Claim, grantFor } from "./claims.js";
import type { State } from "./state.js";

let versions = 0;
const opened = () => memoryState({ ids: { next: (kind) => `${kind}-${++versions}` }, now: () => 0 });
const caller = { session: "s", autonomy: "supervised", target: "local", workspace: "/w" } as const;
const clock = { timer: () => () => {} };
const unclaimed = { code: "CALL_UNCLAIMED" };

function bound(claims: readonly Claim[], state = opened()) {
  return boundState({ state, grant: grantFor("g", claims), caller, clock, requireLife() {} });
}

it("reads and writes the claimed collection, and no other", async () => {
  const state = opened();
  await state.documents("schedule").update("a", () => 1);
  const ctx = bound([{ kind: "state", collection: "memory", access: "write" }], state);
  const documents = ctx.documents("memory");
  await documents.update("a", () => "mine");
  expect((await documents.get("a"))?.value).toBe("mine");
  const keys: string[] = [];
  for await (const { key } of documents.list()) keys.push(key);
  expect(keys).toEqual(["a"]);
  const other = ctx.documents("schedule");
  await expect(other.get("a")).rejects.toMatchObject(unclaimed);
  await expect(other.update("a", () => undefined)).rejects.toMatchObject(unclaimed);
  await expect(other.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(unclaimed);
  expect((await state.documents("schedule").get("a"))?.value).toBe(1);
});

it("keeps a claim of reading from writing, and one of a key from other keys and from lists", async () => {
  const reads = bound([{ kind: "state", collection: "memory", access: "read" }]).documents("memory");
  expect(await reads.get("a")).toBeUndefined();
  await expect(reads.update("a", () => 1)).rejects.toMatchObject(unclaimed);
  const one = bound([{ kind: "state", collection: "memory", access: "write", key: "a" }]).documents("memory");
  expect((await one.update("a", () => 1))?.value).toBe(1);
  await expect(one.get("b")).rejects.toMatchObject(unclaimed);
  await expect(one.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(unclaimed);
});

it("writes nothing once the call has ended, also where the update began before", async () => {
  const state = opened();
  let isOver = false;
  const requireLife = () => {
    if (isOver) throw new Error("ended");
  };
  const slow: Pick<State, "documents"> = {
    documents(collection) {
      const documents = state.documents(collection);
      return {
        ...documents,
        async update(key, change) {
          await Promise.resolve();
          return documents.update(key, change);
        },
      };
    },
  };
  const claims: readonly Claim[] = [{ kind: "state", collection: "memory", access: "write" }];
  const documents = boundState({ state: slow, grant: grantFor("g", claims), caller, clock, requireLife }).documents(
    "memory",
  );
  const update = documents.update("a", () => 1);
  isOver = true;
  await expect(update).rejects.toThrow("ended");
  await expect(documents.get("a")).rejects.toThrow("ended");
  expect(await state.documents("memory").get("a")).toBeUndefined();
});
