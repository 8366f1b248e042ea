import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "./architecture/source-tree.js";
import { toolsReference } from "./tools-reference.js";

// A stale file is written anew by `npx vitest run test/tools-reference.test.ts -u`.
it("the reference of the tools is up to date", async () => {
  await expect(await toolsReference()).toMatchFileSnapshot(join(REPOSITORY, "docs/reference/tools.md"));
});

it("the reference of the tools says what every parameter takes", async () => {
  const reference = await toolsReference();
  expect(reference).toContain("wait (boolean / string / integer)");
  expect(reference).not.toMatch(/undefined|\(any\)/);
});
