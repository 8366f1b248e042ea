/** Recall where each word of a query is frequent. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sqliteDriver } from "./sqlite-driver.js";
import { sqliteState } from "./sqlite-state.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "haft-crowded-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** More than are compared one by one. */
const CROWD = 410;

it("finds an old note with most of the words among new ones with one of them", async () => {
  const state = sqliteState({ driver: sqliteDriver()!, path: join(root, "state.db") });
  const memories = state.memories!("notes");
  const store = (key: string, content: string) => memories.store({ key, content, category: "core", tags: [] });
  const words = ["alpha", "beta", "gamma", "delta", "epsilon"];
  await store("four", "alpha beta gamma delta");
  await store("two", "gamma and epsilon");
  for (let count = 0; count < CROWD; count++)
    for (const word of words) await store(`${word} ${count}`, `${word} is here`);
  const first = async (text: string) => (await memories.recall({ text, limit: 1 }))[0]?.key;
  expect(await first("alpha beta gamma delta epsilon")).toBe("four");
  expect(await first("alpha beta gamma epsilon zeta")).toBe("four");
  expect(await first("epsilon gamma alpha delta")).toBe("four");
  expect(await first("gamma epsilon beta")).toBe("two");
  await state.close();
});
