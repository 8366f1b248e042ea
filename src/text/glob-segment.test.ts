import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { matchGlobSegment, parseGlobSegment } from "./glob-segment.js";

describe("matchGlobSegment", () => {
  it("agrees with a regular expression on stars, question marks and classes", () => {
    const part = fc.constantFrom("a", "b", "*", "?", "[a]", "[!a]", "[a-b]");
    const name = fc.array(fc.constantFrom("a", "b", "c", "😀"), { maxLength: 8 }).map((chars) => chars.join(""));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), name, (parts, target) => {
        const source = parts.join("").replaceAll("*", ".*").replaceAll("?", ".").replaceAll("[!", "[^");
        const tokens = parseGlobSegment(parts.join(""), false);
        expect(matchGlobSegment(tokens, target)).toBe(new RegExp(`^${source}$`, "u").test(target));
      }),
    );
  });

  it("takes an escaped character and an unclosed class literally", () => {
    expect(parseGlobSegment("a\\*[b", false)).toEqual([{ kind: "text", text: "a*[b" }]);
    expect(parseGlobSegment("AB", true)).toEqual([{ kind: "text", text: "ab" }]);
    expect(parseGlobSegment("a***b", false).map((token) => token.kind)).toEqual(["text", "run", "text"]);
  });
});
