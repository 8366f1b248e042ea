import { describe, expect, it } from "vitest";
import { fc } from "../../testing/property.fixture.js";
import { planEdits, shiftText } from "./apply.js";
import { UnitText } from "./units.js";

const FORM = { encoding: "utf-8", bomBytes: 0, confident: true } as const;

async function edited(file: string, oldText: string, newText: string, replaceAll = false) {
  const text = new UnitText(new TextEncoder().encode(file), FORM);
  const plan = await planEdits(text, [{ oldText, newText }], { stages: ["indentation"], replaceAll });
  return plan.kind === "applied" ? new TextDecoder().decode(plan.bytes) : plan.kind;
}

describe("an edit of lines that are indented otherwise", () => {
  it("shifts each place by its own whitespace where all are replaced", async () => {
    expect(await edited("  a\n  b\nx\n\ta\n\tb\n", "a\nb\n", "c\n  d\n", true)).toBe("  c\n    d\nx\n\tc\n\t  d\n");
  });

  it("takes whole lines alone", async () => {
    expect(await edited("  return 12\n", "return 1", "return 2")).toBe("not-found");
    expect(await edited("  x = f(\n    a)\n", "f(\n  a)", "g()")).toBe("not-found");
    expect(await edited("    a\n    b\n", "  a\n  ", "  c\n  ")).toBe("not-found");
  });

  it("disregards what blank lines consist of, and not how many there are", async () => {
    expect(await edited("    a\n      \n    b\n", "  a\n\n  b\n", "  c\n")).toBe("    c\n");
    expect(await edited("x\n \n    a\n    b\n", "\n  a\n  b\n", "\n  c\n")).toBe("x\n\n    c\n");
    expect(await edited("    a\n    b\n", "  a\n\n  b\n", "  c\n")).toBe("not-found");
    expect(await edited("x\n    a\n", "\n  a\n", "  c\n")).toBe("not-found");
  });

  it("matches the last line of a file that ends without a line ending", async () => {
    expect(await edited("x\n  a\n  b", "a\nb\n", "c\n")).toBe("x\n  c");
  });

  it("finds lines far from the first one, and in files that hold the sign of a turn", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `${" ".repeat(index % 9)}line ${index}\r\n`).join("");
    expect(await edited(`${many}    a\r\n      b\r\n`, "a\n  b\n", "c\n")).toBe(`${many}    c\r\n`);
    expect(await edited("\0 \0  a\n\0b\n  \0b\n", "   \0b", "   c")).toBe("ambiguous");
    expect(await edited("\0 \0  a\n  \0b\n", " \0b", " c")).toBe("\0 \0  a\n  c\n");
    expect(await edited("  \0  a\n", "    a", "c")).toBe("not-found");
  });

  it("stays linear where the same line occurs in a hundred thousand rows", async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => (index % 50_000 === 49_999 ? " x\n" : "  x\n"));
    const wanted = "x\n".repeat(60_000);
    expect(await edited(rows.join(""), wanted, "y\n")).toBe("not-found");
  }, 20_000);
});

const word = fc.constantFrom("if a:", "b", "}", "é = 1", "return  x");
const whitespace = fc.constantFrom("", " ", "  ", "\t", "\t ", "   \t");
const line = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(whitespace, word).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.constantFrom("", "  ") },
);

it("puts into lines that were shifted what was wanted, shifted back, and changes nothing else", async () => {
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 6 }),
      fc.array(line, { minLength: 1, maxLength: 4 }),
      fc.array(line, { maxLength: 6 }),
      fc.constantFrom(" ", "    ", "\t", " \t"),
      fc.boolean(),
      async (before, block, after, by, isAdded) => {
        const shifted = shiftText(block.join("\n"), { added: by })!;
        const [there, asked] = isAdded ? [shifted, block.join("\n")] : [block.join("\n"), shifted];
        if (asked.trim() === "") return;
        const file = (lines: string) => [...before, lines, ...after, ""].join("\n");
        const wanted = file(there.replace(/\S/g, "z"));
        const found = await edited(file(there), `${asked}\n`, `${asked.replace(/\S/g, "z")}\n`);
        if (found === "ambiguous") return;
        applied++;
        const visible = (all: string) => all.split("\n").map((one) => (one.trim() === "" ? "" : one));
        expect(visible(found)).toEqual(visible(wanted));
      },
    ),
    { seed: 7 },
  );
  expect(applied).toBeGreaterThan(500);
});
