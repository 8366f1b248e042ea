import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { AWKWARD_WORDS } from "../../../testing/awkward-words.fixture.js";
import { withPrograms } from "../../../testing/programs.fixture.js";
import { fc, runCount } from "../../../testing/property.fixture.js";
import { verifies } from "../../../testing/verifies.fixture.js";
import { ARGV, underEachShell } from "../shells.fixture.js";
import { loginShellCommand, quoteWords } from "./quote-words.js";

underEachShell((shell) => {
  const [program = "", ...args] = ARGV[shell];

  /** What the remote shell makes of the words, as it does with a request: one line, read and evaluated. */
  function evaluated(words: readonly string[]): readonly string[] {
    const script = `hf_nl='\n'; IFS= read -r l; eval "set -- $l"; for w in "$@"; do printf '%s\\0' "$w"; done`;
    const line = quoteWords(words);
    expect(line).not.toContain("\n");
    const { stdout } = spawnSync(program, [...args, "-c", script], { input: `${line}\n` });
    return stdout.toString("utf8").split("\0").slice(0, -1);
  }

  verifies("BD-030", "words with spaces, quotes, a leading dash, and empty ones come through", () => {
    const words = [
      "",
      " ",
      "it's",
      '"',
      "-rf",
      "$HOME `id` \\ \\n",
      "a\nb\n",
      "\n",
      "*?[a]~#!",
      "'\n'",
      "é漢😀",
      "\r\t",
    ];
    expect(evaluated(words)).toEqual(words);
  });

  it("any words come through unchanged", () => {
    const word = fc
      .string({ unit: "binary", maxLength: 12 })
      .map((text) => Buffer.from(text).toString().replaceAll("\0", ""));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        expect(evaluated(words)).toEqual(words);
      }),
      { numRuns: runCount(25) },
    );
  });
});

for (const shell of ["sh", "dash", "bash", "zsh", "fish", "tcsh"]) {
  withPrograms(`${shell} as a login shell`, [shell], () => {
    it("runs any words unchanged", () => {
      const { stdout } = spawnSync(shell, ["-c", loginShellCommand(["printf", "<%s>", ...AWKWARD_WORDS])]);
      expect(stdout.toString("utf8")).toBe(AWKWARD_WORDS.map((word) => `<${word}>`).join(""));
      expect(loginShellCommand(["busybox", "sh"])).toBe("exec busybox sh");
    });
  });
}
