import { expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { gutter, numberLines, withGutters } from "./line-gutter.js";

it("numbers a text at once as it numbers line by line", () => {
  const text = fc.array(fc.constantFrom("\n", "\r\n", "\r", "a", "é", "😀", "bc")).map((parts) => parts.join(""));
  const startLine = fc.oneof(fc.integer({ min: -5, max: 20 }), fc.integer({ min: 4_090, max: 4_100 }));
  fc.assert(
    fc.property(text, startLine, (window, start) => {
      const rows = numberLines(window, start).map((line) => `\n${gutter(line.number)}${line.text}`);
      // The second time the starts of the lines are known.
      for (let times = 0; times < 2; times++)
        expect(withGutters(window, start)).toEqual({ text: rows.join(""), lines: rows.length });
    }),
  );
});
