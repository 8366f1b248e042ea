import { describe, expect, it } from "vitest";
import { type AnyPresenter, type ContentBlock, ERROR_CODES, type ToolResult } from "../kernel/index.js";
import { fc, runCount } from "../testing/property.fixture.js";
import { builtinRegistry } from "../toolkit/index.js";
import { text } from "./any-text.fixture.js";
import { buddyDialect, haftDialect, indusagi, indusagiDialect, zeroclawDialect } from "./index.js";
import { dataOf } from "./tool-data.fixture.js";

const DIALECTS = [haftDialect, indusagiDialect, indusagi({ edition: "python" }), zeroclawDialect, buddyDialect];

const about = fc.record({
  arguments: fc.dictionary(fc.constantFrom("path", "command", "wait", "includeIgnored", "pattern"), fc.anything()),
  budget: fc.record({
    kind: fc.constantFrom("head" as const, "tail" as const, "middle" as const),
    maxBytes: fc.integer({ min: 1, max: 9_000 }),
  }),
  cwd: text,
  notes: fc.array(text, { maxLength: 2 }),
  tool: text,
});

/** The details that some presenter reads. */
const DETAILS = [
  ...["nearest", "lines", "region", "sha256", "sizeBytes", "modifiedMs", "missing", "parameter", "problem", "reason"],
  ...["claim", "path", "kind", "why", "feature", "notes", "backup", "deniedBy"],
];

/** `details` of any kind: a tool of a third party may return what its types forbid. */
const failures = fc.record(
  {
    content: fc.constant([]),
    isError: fc.constant(true),
    code: fc.oneof(fc.constantFrom(...ERROR_CODES), text),
    message: text,
    details: fc.oneof(
      fc.anything(),
      fc.record({
        nearest: fc.oneof(
          fc.anything(),
          fc.array(fc.oneof(fc.anything(), fc.record({ line: fc.anything(), text, differs: text }))),
        ),
        lines: fc.oneof(fc.anything(), fc.array(fc.anything())),
        region: fc.oneof(fc.anything(), text, fc.record({ line: fc.anything(), text })),
        sha256: text,
        modifiedMs: fc.anything(),
        missing: fc.anything(),
        parameter: fc.anything(),
        claim: fc.anything(),
      }),
    ),
  },
  { requiredKeys: ["content", "isError"] },
) as fc.Arbitrary<ToolResult<unknown>>;

/** Every presenter of every dialect, by a unique name. */
const PRESENTERS = DIALECTS.flatMap((dialect) =>
  Object.entries(dialect.tools).map(([tool, presenter]) => ({
    name: `${dialect.name} ${presenter.name}`,
    tool,
    presenter,
  })),
);

/** Every detail that a presenter may read, each of them without a text form, alone and in a list and as a member. */
const TEXTLESS_DETAILS = [{ toString: [] }, Object.create(null), Symbol("s")].flatMap((value) =>
  [value, [value], [{ line: value, text: value, differs: value }], { line: value, text: value, path: value }].map(
    (detail) => Object.fromEntries(DETAILS.map((name) => [name, detail])),
  ),
);

function checkBlocks(content: readonly ContentBlock[]): void {
  expect(content.length).toBeGreaterThan(0);
  for (const block of content) {
    expect(["text", "json", "image"]).toContain(block.kind);
    if (block.kind === "text") expect(typeof block.text).toBe("string");
  }
}

function isTotal(presenter: AnyPresenter): void {
  fc.assert(
    fc.property(
      fc.oneof(fc.dictionary(fc.constantFrom(...parameterNames(presenter)), fc.anything()), fc.object()),
      (args) => {
        const decoded = presenter.decode(args);
        if ("problem" in decoded) expect(decoded.problem).toMatch(/[^.\s]$/);
        else expect(typeof decoded.input).toBe("object");
      },
    ),
    { numRuns: runCount(80) },
  );
}

const REGISTRIES = DIALECTS.map((dialect) => builtinRegistry(dialect));
const parameterNames = ({ name }: AnyPresenter) => [
  "path",
  ...REGISTRIES.flatMap((box) => (box.has(name) ? Object.keys(box.get(name).parameters.properties as object) : [])),
];

describe("presenters", () => {
  it.each(PRESENTERS)("$name decodes whatever it is given", ({ presenter }) => isTotal(presenter));

  it.each(PRESENTERS)("$name renders whatever the tool returns", ({ tool, presenter }) => {
    fc.assert(
      fc.property(dataOf(tool), fc.boolean(), about, (data, isError, context) => {
        checkBlocks(presenter.render({ content: [], isError, data }, context).content);
      }),
      { numRuns: runCount(80) },
    );
  });

  it.each(PRESENTERS)("$name renders whatever the pipeline fails with", ({ presenter }) => {
    fc.assert(
      fc.property(failures, about, (result, context) => {
        const { content } = presenter.render(result, context);
        checkBlocks(content);
        expect(
          content.some((block) => block.kind === "text" && block.text !== "") || result.message !== undefined,
        ).toBe(true);
      }),
      { numRuns: runCount(120) },
    );
  });

  it.each(PRESENTERS)("$name renders details of any kind, whatever the code", ({ presenter }) => {
    const context = {
      arguments: {},
      budget: { kind: "head" as const, maxBytes: 9_000 },
      cwd: "/",
      notes: [],
      tool: "x",
    };
    for (const code of ERROR_CODES)
      for (const details of TEXTLESS_DETAILS)
        checkBlocks(
          presenter.render({ content: [], isError: true, code, message: "Not done.", details }, context).content,
        );
  });

  it("keeps the reports of the default dialect free of control characters", () => {
    const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
    for (const [tool, presenter] of Object.entries(haftDialect.tools)) {
      fc.assert(
        fc.property(dataOf(tool), about, (data, context) => {
          for (const block of presenter.render({ content: [], isError: false, data }, context).content)
            if (block.kind === "text") expect(block.text).not.toMatch(control);
        }),
        { numRuns: runCount(80) },
      );
    }
  });
});
