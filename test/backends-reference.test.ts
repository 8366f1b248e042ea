import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "./architecture/source-tree.js";
import { backendsReference } from "./backends-reference.js";

// A stale file is written anew by `npx vitest run test/backends-reference.test.ts -u`.
it("the reference of the backends is what the suites do not require of each", async () => {
  await expect(backendsReference()).toMatchFileSnapshot(join(REPOSITORY, "docs/reference/backends.md"));
});
