import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG } from "../../testing/long.fixture.js";
import { fc, runCount } from "../../testing/property.fixture.js";
import { analyzeCommand } from "./analyze-command.js";
import { COMMAND_ROWS } from "./command-rows.fixture.js";
import { countCommands } from "./shell-oracle.fixture.js";

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
const SEED = LONG ? {} : { seed: 20 };

/** What the shell would do is not judged by its segments alone. */
const isRefused = (kinds: readonly string[]) =>
  kinds.some((kind) => ["syntax", "too-long", "shells-differ"].includes(kind));

describe("the judgement of a mutated command", () => {
  it("has as many segments as mvdan-sh finds commands, in bash and in a POSIX shell", () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const { segments, problems } = analyzeCommand(text, OPTIONS);
        if (isRefused(problems.map(({ kind }) => kind))) return;
        for (const shell of ["bash", "posix"] as const) {
          const count = countCommands(text, shell);
          if (count !== undefined) expect(segments.length, `${shell}: ${text}`).toBeGreaterThanOrEqual(count);
        }
      }),
      SEED,
    );
  });

  it("is high nearly always where bash does not accept the text", () => {
    const texts = fc.sample(mutated, { numRuns: runCount(1_000), ...SEED });
    const accepted = acceptedByBash(texts);
    const wrong = texts.filter((text, index) => {
      return accepted[index] === false && analyzeCommand(text, OPTIONS).risk !== "high";
    });
    // The parser takes a few of them as another shell might: `time && ls` is a command in dash.
    expect(wrong.length, JSON.stringify(wrong)).toBeLessThan(texts.length / 200);
  });
});

/** `bash -n` for each text. */
function acceptedByBash(texts: readonly string[]): boolean[] {
  const directory = mkdtempSync(join(tmpdir(), "haft-commands-"));
  try {
    texts.forEach((text, index) => {
      writeFileSync(join(directory, String(index)), text);
    });
    const script = 'i=0; while [ $i -lt "$1" ]; do bash -n "$i" 2>/dev/null && echo 1 || echo 0; i=$((i+1)); done';
    const output = execFileSync("bash", ["-c", script, "bash", String(texts.length)], {
      cwd: directory,
      encoding: "utf8",
    });
    return output
      .trim()
      .split("\n")
      .map((line) => line === "1");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
