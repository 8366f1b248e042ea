import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { jsonFault } from "./json-fault.js";

describe("jsonFault", () => {
  it.each([
    ['{"a":"b"', 8, "`,` or `}`"],
    ['{"a":"b', 7, 'the `"` that ends the string'],
    ['{"a":', 5, "a JSON value"],
    ['{"a"', 4, "`:`"],
    ["{", 1, "a name in double quotes or `}`"],
    ['{"a":1,}', 7, "a name in double quotes"],
    ['{"a":[1,]}', 8, "a JSON value"],
    ["[", 1, "a JSON value or `]`"],
    ["{'a':1}", 1, "a name in double quotes or `}`"],
    ['{"a":NaN}', 5, "a JSON value"],
    ['{"a":True}', 5, "a JSON value"],
    ['{"a":01}', 6, "`,` or `}`"],
    ['{"a":1}{"b":2}', 7, "the end of the text"],
    ['{"a":1} // why', 8, "the end of the text"],
    ['{"a":[1}', 7, "`,` or `]`"],
    ['{"a":"x\ny"}', 7, "an escape such as `\\n`, since a string holds no raw control character"],
    ['{"a":"C:\\dir"}', 8, 'a valid escape (`\\\\` for a backslash, `\\"` for a quote)'],
    ["", 0, "a JSON value"],
  ])("%j stops being JSON at %i, where %s is expected", (text, offset, expected) => {
    expect(jsonFault(text)).toEqual({ offset, expected });
  });

  it("finds a fault in exactly the texts that JSON.parse refuses", () => {
    const json = fc.json();
    const broken = fc
      .tuple(json, fc.nat(), fc.constantFrom("", ",", "}", '"', "'", "\\", "\n", "x", "{", "1"))
      .map(([text, at, inserted]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + inserted + text.slice(place + (at % 2));
      });
    fc.assert(
      fc.property(fc.oneof(json, broken), (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        const fault = jsonFault(text);
        expect(fault === undefined).toBe(parses);
        // What comes before the fault is the start of some JSON text: the fault of it alone is that it ends.
        if (fault !== undefined)
          expect(jsonFault(text.slice(0, fault.offset))?.offset ?? fault.offset).toBe(fault.offset);
      }),
    );
  });

  it("follows a nesting of any depth", () => {
    expect(jsonFault("[".repeat(200_000))?.offset).toBe(200_000);
  });
});
