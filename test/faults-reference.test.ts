import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { FAULTS } from "../src/testing/faults.fixture.js";
import { REPOSITORY, readTestSources, walk } from "./architecture/source-tree.js";
import { faultsReference } from "./faults-reference.js";

// A stale file is written anew by `npx vitest run test/faults-reference.test.ts -u`.
it("the reference of the faults is the table that tests play", async () => {
  await expect(faultsReference()).toMatchFileSnapshot(join(REPOSITORY, "docs/reference/faults.md"));
});

it("each row of it is played by a test", () => {
  const played = new Set<string>();
  for (const { tree } of readTestSources())
    walk(tree, (node) => {
      if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return;
      const [name] = node.arguments;
      if (node.expression.text === "expectFault" && name !== undefined && ts.isStringLiteralLike(name))
        played.add(name.text);
    });
  expect(Object.keys(FAULTS).filter((name) => !played.has(name))).toEqual([]);
});
