import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "./architecture/source-tree.js";
import { resultsReference } from "./results-reference.js";

// A stale file is written anew by `npx vitest run test/results-reference.test.ts -u`.
it("the reference of result fields is what calls report", async () => {
  await expect(await resultsReference()).toMatchFileSnapshot(join(REPOSITORY, "docs/reference/results.md"));
});
