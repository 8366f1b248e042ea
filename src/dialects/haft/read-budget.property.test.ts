import { expect, it } from "vitest";
import { fc, runCount } from "../../testing/property.fixture.js";
import { utf8Length } from "../../text/index.js";
import { readData } from "../golden.fixture.js";
import { haftReadPresenter } from "./read.js";

it("keeps a read of the default dialect within any budget that holds its frame", () => {
  const window = fc.array(fc.string({ maxLength: 80 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(window, fc.integer({ min: 600, max: 8_000 }), (rows, maxBytes) => {
      const data = readData(`${rows.map((row) => row.replace(/\s/g, " ")).join("\n")}\n`);
      const context = {
        arguments: { path: "a.txt" },
        budget: { kind: "middle" as const, maxBytes },
        cwd: "/",
        notes: [],
        tool: "read",
      };
      const [block] = haftReadPresenter.render({ content: [], isError: false, data }, context).content;
      expect(block?.kind === "text" && utf8Length(block.text) <= maxBytes).toBe(true);
    }),
    { numRuns: runCount(80) },
  );
});
