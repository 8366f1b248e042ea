import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { posixQuote } from "./quoting.js";

describe("posixQuote", () => {
  it("quotes plain, empty and quoted words", () => {
    expect(posixQuote("a b")).toBe("'a b'");
    expect(posixQuote("")).toBe("''");
    expect(posixQuote("it's")).toBe("'it'\\''s'");
  });

  it("gives sh each word back as it was", () => {
    const awkward = fc.constantFrom("'", '"', "\\", "$x", "`id`", "\n", "*", "~", "-n", " ", "!", "é", "A=1", ";", "#");
    const words = fc.sample(
      fc.array(awkward, { maxLength: 8 }).map((parts) => parts.join("")),
      200,
    );
    const out = execFileSync("sh", ["-c", `printf '%s\\0' ${words.map(posixQuote).join(" ")}`], { encoding: "utf8" });
    expect(out.split("\0").slice(0, -1)).toEqual(words);
  });
});
