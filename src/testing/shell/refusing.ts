/** Commands that do not start have the same error on every backend. */
import type { ShellOptions, ShellResult } from "../../kernel/index.js";
import { on } from "../case-setup.js";
import { expectEqual } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { run } from "./run.js";

type Refused = readonly [command: string, options: Partial<ShellOptions>, problem: string];

const SPAWN_ERROR = ["no", "spawn-error", { by: "none" }] as const;

export const shellRefusing: Suite<Fixture> = [
  on(
    "shell:refused:same-error",
    "Commands that cannot start fail with the same message on every backend",
    async (fixture) => {
      const { fs } = bindAll(fixture);
      const { directory } = fixture;
      await fs.writeFile(`${directory}/file`, "x");
      const command = `echo ran > ${directory}/marker`;
      const refused: readonly Refused[] = [
        [command, { cwd: `${directory}/gone` }, `the directory "${directory}/gone" does not exist`],
        [command, { cwd: `${directory}/file` }, `"${directory}/file" is not a directory`],
        [command, { cwd: "src" }, '"src" is not an absolute path'],
        [`${command}\0`, {}, "the command contains a NUL byte"],
        [command, { env: { "A=B": "c" } }, '"A=B" is not a valid variable name'],
        [command, { env: { "": "c" } }, '"" is not a valid variable name'],
        [command, { env: { "A-B": "c" } }, '"A-B" is not a valid variable name'],
        [command, { env: { A: "\0" } }, 'the value of the variable "A" contains a NUL byte'],
      ];
      for (const [line, options, problem] of refused) {
        const result = await execAtRoot(fixture, line, options);
        expectEqual([result.began, result.ended, result.exit, result.problem], [...SPAWN_ERROR, problem], problem);
      }
      expectEqual(await fs.exists(`${directory}/marker`), false, "the marker is there");
    },
  ),
  on("shell:refused:no-time", "Without time left a command does not start", async (fixture) => {
    const { fs } = bindAll(fixture);
    for (const timeoutMs of [0, -1]) {
      const result = await run(fixture, "echo ran > marker", { timeoutMs });
      expectEqual([result.began, result.ended, result.exit], ["no", "deadline", { by: "none" }], `${timeoutMs} ms`);
    }
    expectEqual(await fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
  }),
];

/** Uses the unguarded port, because the guard of a grant rejects such directories first. */
function execAtRoot(fixture: Fixture, command: string, options: Partial<ShellOptions>): Promise<ShellResult> {
  return fixture.backend.root.shell.exec(command, { cwd: fixture.directory, ...options });
}
