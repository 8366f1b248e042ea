/** A failure repeats what a model sent: as it is, unless it is longer than any real name; then its start, and how long it was. */
import { describe, expect, it } from "vitest";
import { ERROR_CODES, fail } from "../kernel/index.js";
import { LONG as LONG_RUN } from "../testing/long.fixture.js";
import { createToolkit } from "../toolkit/index.js";
import { DIALECTS, seenBy } from "./golden.fixture.js";
import { indusagi } from "./index.js";

const LONG = "x".repeat(100_000);
const ALL = { ...DIALECTS, "indusagi-python": indusagi({ edition: "python" }) };

describe.each(Object.entries(ALL))("what %s repeats of a value of a hundred thousand bytes", (_, dialect) => {
  it("is its start and its length, whatever a call failed of", () => {
    const values = {
      path: LONG,
      problem: LONG,
      reason: LONG,
      why: LONG,
      feature: LONG,
      claim: { kind: "file", path: LONG },
    };
    for (const [at, tool] of Object.keys(dialect.tools).entries()) {
      // Each tool with a quarter of the codes, so that each code is met by a quarter of the tools.
      for (const code of ERROR_CODES.filter((_code, index) => LONG_RUN || index % 4 === at % 4)) {
        const failure = fail(code, `Did not do it to "${LONG}": it is long. Shorten it.`, { details: values });
        const { envelope } = seenBy(dialect, tool, failure, { path: LONG, command: LONG, pattern: LONG });
        const shown = JSON.stringify(envelope);
        expect(shown.length).toBeLessThan(40_000);
        if (shown.includes("xxx")) expect(shown).toMatch(/\(100000 bytes\)|\(\d+ bytes omitted\)/);
      }
    }
  });

  it("leaves a path that a system could have as it is", () => {
    const path = `dir/${"é".repeat(2_000)}`;
    for (const tool of ["read", "write"]) {
      const failure = fail("FS_NOT_FOUND", `Did not do it to "${path}".`, { details: { path } });
      const shown = JSON.stringify(seenBy(dialect, tool, failure, { path }).envelope);
      expect(shown).not.toContain("bytes");
    }
  });

  it("is bounded on the whole way of a call", async () => {
    await using toolkit = await createToolkit({ autonomy: "full", on: "memory", persist: false, dialect });
    const box = toolkit.box();
    const odd: readonly Record<string, unknown>[] = [
      {
        path: LONG,
        content: "x",
        command: "true",
        pattern: "x",
        oldText: "a",
        newText: "b",
        edits: [{ oldText: "a", newText: "b" }],
      },
      {
        path: `/${"a/".repeat(50_000)}b`,
        content: "x",
        pattern: "x",
        oldText: "a",
        newText: "b",
        command: "cat < nowhere",
      },
      { path: `\0${LONG}`, content: "x", pattern: "x", oldText: "a", newText: "b", command: `"${LONG}` },
      {
        path: "a",
        content: "x",
        pattern: `(${LONG}`,
        oldText: LONG,
        newText: LONG,
        edits: [{ oldText: LONG, newText: "b" }],
        command: LONG,
      },
      { [LONG]: LONG },
      { path: [LONG], command: [LONG], items: [LONG], todos: [LONG], pattern: { LONG } },
    ];
    for (const { name, parameters } of box.descriptors()) {
      const known = Object.keys(parameters.properties ?? {});
      for (const whole of odd) {
        const fitting = Object.fromEntries(
          Object.entries(whole).filter(([key]) => known.includes(key) || key === LONG),
        );
        const outcome = await box.runner.run({ id: "c", name, input: fitting });
        // A command that fails shows what it printed, which is no repetition.
        if (outcome.code === "SHELL_EXIT") continue;
        expect(JSON.stringify(outcome.content).length, `${name} ${outcome.status} ${outcome.code}`).toBeLessThan(
          40_000,
        );
      }
    }
  });
});
