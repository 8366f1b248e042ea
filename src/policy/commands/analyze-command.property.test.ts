import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG } from "../../testing/long.fixture.js";
import { fc } from "../../testing/property.fixture.js";
import { analyzeCommand } from "./analyze-command.js";
import { COMMAND_ROWS } from "./command-rows.fixture.js";
import type { CommandJudgement } from "./judgement.js";
import { countByWalk, countCommands } from "./shell-oracle.fixture.js";

const OPTIONS = { cwd: "/ws", home: "/home/u" };

/** What has a meaning in the shell, and little else. */
const PIECES = [
  ..." \t\n;&|<>()'\"\\$`{}[]!#*?=~-+:@%^/0a".split(""),
  ..."&& || >> << <<- <<< >& &> >| <( >( $( ${ $(( (( )) [[ ]] $' $\" ;; in do done if then fi case esac for while time coproc function".split(
    " ",
  ),
  "rm x",
  "<<E\n",
  "\nE\n",
];

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removes: fc.nat({ max: 3 }),
  adds: fc.constantFrom("", ...PIECES),
});

const AROUND: readonly (readonly [string, string])[] = [
  ["", ""],
  ["$(", ")"],
  ["`", "`"],
  ["(", ")"],
  ["{ ", "; }"],
  ["if ", "; then :; fi"],
  ["f() { ", "; }"],
  ['"$(', ')"'],
];

/** A command of the table, or two of them joined, with some edits. */
const mutated = fc
  .record({
    commands: fc.array(fc.constantFrom(...COMMAND_ROWS.map(({ command }) => command)), { minLength: 1, maxLength: 2 }),
    join: fc.constantFrom(";", "&&", "|", "\n", " "),
    around: fc.constantFrom(...AROUND),
    edits: fc.array(edit, { maxLength: 4 }),
  })
  .map(({ commands, join: separator, around: [before, after], edits }) => {
    let text = `${before}${commands.join(separator)}${after}`;
    for (const { at, removes, adds } of edits) {
      const index = Math.floor(at * text.length);
      text = text.slice(0, index) + adds + text.slice(index + removes);
    }
    return text;
  });

/** Long runs look for new cases. Everyday runs repeat the same ones, so that a rare one does not fail somebody's change. */
const texts = fc.sample(mutated, LONG ? { numRuns: 30_000 } : { numRuns: 10_000, seed: 20 });

/** What the shell would do is not judged by its segments alone. */
const isRefused = ({ problems }: CommandJudgement) =>
  problems.some(({ kind }) => ["syntax", "too-long", "shells-differ"].includes(kind));

/** Shortest first: the easiest to read of those with one reason. */
const shown = (wrong: readonly string[]) =>
  JSON.stringify(
    [...wrong].sort((a, b) => a.length - b.length),
    null,
    1,
  );

describe("the judgement of a mutated command", { timeout: 300_000 }, () => {
  const judgements: CommandJudgement[] = [];

  it("is made of every text", () => {
    for (const text of texts) judgements.push(analyzeCommand(text, OPTIONS));
    expect(judgements.map(({ risk }) => risk)).toEqual(expect.arrayContaining(["low", "medium", "high"]));
  });

  it("has as many segments as mvdan-sh finds commands, in bash and in a POSIX shell", () => {
    const compared = texts.filter((_, index) => !isRefused(judgements[index]!));
    const wrong = texts.flatMap((text, index) => {
      const judgement = judgements[index]!;
      if (isRefused(judgement)) return [];
      const counts = (["bash", "posix"] as const).map((shell) => countCommands(text, shell) ?? 0);
      return Math.max(...counts) > judgement.segments.length ? [text] : [];
    });
    expect(wrong.length, shown(wrong)).toBe(0);
    expect(compared.length).toBeGreaterThan(texts.length / 4);
  });

  it("is high where neither bash nor dash accepts the text", () => {
    const unrefused = texts.filter((_, index) => judgements[index]!.risk !== "high");
    // `time && ls` is a command in dash.
    const wrong = unaccepted("dash", unaccepted("bash", unrefused));
    expect(wrong.length, shown(wrong)).toBe(0);
  });
});

describe("the other parser", () => {
  it("counts what its own walk finds", () => {
    for (const text of texts.slice(0, 100)) {
      for (const shell of ["bash", "posix"] as const)
        expect(countCommands(text, shell), text).toBe(countByWalk(text, shell));
    }
  });
});

/** The texts in which `bash -n` finds a syntax error. */
function unaccepted(shell: "bash" | "dash", all: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), "haft-commands-"));
  try {
    all.forEach((text, index) => {
      writeFileSync(join(directory, String(index)), text);
    });
    const script = 'i=0; while [ $i -lt "$2" ]; do "$1" -n "$i" 2>/dev/null || echo "$i"; i=$((i+1)); done';
    const output = execFileSync("sh", ["-c", script, "sh", shell, String(all.length)], {
      cwd: directory,
      encoding: "utf8",
    });
    return output.split("\n").flatMap((line) => (line === "" ? [] : [all[Number(line)]!]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
