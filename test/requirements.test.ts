import { describe, expect, it } from "vitest";
import { fsSuite, searchSuite, shellSuite, terminalSuite } from "../src/testing/index.js";
import { parseSource, readTestSources } from "./architecture/source-tree.js";
import { citations, REQUIREMENT_ID } from "./requirements/citations.js";
import { PROVED_BY_SUITES } from "./requirements/conformance.js";
import { REQUIREMENTS, type Requirement } from "./requirements.js";

/** What is wrong with the citations, one line each. */
function gaps(required: ReadonlyMap<string, Requirement>, cited: ReadonlyMap<string, readonly string[]>): string[] {
  const uncited = [...required]
    .filter(([id, { deferred }]) => deferred === undefined && !cited.has(id))
    .map(([id, { area, behavior }]) => `${id} is due and no test cites it (${area}: ${behavior}).`);
  const mistaken = [...cited].flatMap(([id, places]) => {
    const known = required.get(id);
    if (known === undefined) return [`${id} is cited in ${places.join(", ")} but is no requirement.`];
    if (known.deferred === undefined) return [];
    return [`${id} is cited in ${places.join(", ")} but deferred: ${known.deferred}.`];
  });
  return [...uncited, ...mistaken];
}

/** The citations of the tests and, where the suites have all the cases that are named, those of the suites. */
function allCitations(): { cited: Map<string, string[]>; missingCases: string[] } {
  const cited = citations(readTestSources());
  const cases = new Set([...fsSuite, ...shellSuite, ...searchSuite, ...terminalSuite].map(({ id }) => id));
  const missingCases = Object.values(PROVED_BY_SUITES)
    .flat()
    .filter((id) => !cases.has(id));
  for (const [id, proofs] of Object.entries(PROVED_BY_SUITES)) {
    if (proofs.every((proof) => cases.has(proof))) cited.set(id, [...(cited.get(id) ?? []), ...proofs]);
  }
  return { cited, missingCases };
}

describe("requirements", () => {
  it("every due one is cited by a test, and nothing else is", () => {
    const { cited, missingCases } = allCitations();
    expect(missingCases).toEqual([]);
    const due = [...REQUIREMENTS.values()].filter(({ deferred }) => deferred === undefined).length;
    const found = gaps(REQUIREMENTS, cited);
    const proven = [...REQUIREMENTS.keys()].filter((id) => cited.has(id)).length;
    console.log(
      `${REQUIREMENTS.size} requirements: ${proven} of ${due} due are cited, ${REQUIREMENTS.size - due} deferred`,
    );
    expect(found.join("\n")).toBe("");
  });

  it("the table is complete, in order, and says why each deferred one waits", () => {
    const ids = [...REQUIREMENTS.keys()];
    const series = (prefix: string) => ids.filter((id) => id.startsWith(prefix));
    const numbered = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(3, "0")}`);
    expect(series("IR")).toEqual(numbered("IR", 139));
    expect(series("IP")).toEqual(numbered("IP", 56));
    expect(ids.filter((id) => !REQUIREMENT_ID.test(id))).toEqual([]);
    expect([...REQUIREMENTS.values()].filter(({ seed }) => seed === "")).toEqual([]);
    for (const { behavior, deferred } of REQUIREMENTS.values()) {
      expect(behavior.length).toBeGreaterThan(10);
      if (deferred !== undefined) expect(deferred.length).toBeGreaterThan(10);
    }
  });

  it("reads citations from literals, lists and tables, and reports gaps, unknown ids and ids cited too early", () => {
    const source = (text: string) => parseSource("src/a.test.ts", text);
    const keys = (text: string) => [...citations([source(text)]).keys()];
    expect(keys(`verifies("IR-001", "t", f);\nverifies(["IR-002", "IP-003"], "t", f);`)).toEqual([
      "IR-001",
      "IR-002",
      "IP-003",
    ]);
    expect(keys(`for (const row of [{ ids: ["IR-004"], t: "text" }]) verifies(row.ids, row.t, f);`)).toEqual([
      "IR-004",
    ]);
    expect(keys(`// IR-001\nit("IR-002: x", f); const x = "IR-003";`)).toEqual([]);

    const required = new Map([
      ["IR-001", { seed: "s", area: "a", behavior: "b" }],
      ["IR-002", { seed: "s", area: "a", behavior: "b", deferred: "later" }],
    ]);
    expect(gaps(required, new Map([["IR-001", ["x"]]]))).toEqual([]);
    expect(gaps(required, new Map())).toHaveLength(1);
    expect(
      gaps(
        required,
        new Map([
          ["IR-001", ["x"]],
          ["IR-002", ["x"]],
          ["IR-999", ["x"]],
        ]),
      ),
    ).toHaveLength(2);
  });
});
