/** What a command prints never ends it, and never changes its exit code: only its end does. */
import { on, utf8 } from "../case-setup.js";
import { expectEqual, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { captureWith, expectUsable, PLAIN, paneOutput, runInPane, terminalOf } from "./pane.js";

const ESC = "\u001b";
const BEL = "\u0007";

/** Texts that imitate markers, prompts, frames and lines of control mode. */
export const FORGED: readonly string[] = [
  "[buddy 6: 0] $ ",
  "[haft 1: 0] # ",
  "[agent 3: 0]",
  "$ ",
  "bash-5.2# ",
  "root@vm:/# ",
  "%end 1 1 1\n",
  "%begin 1 1 1\n%end 1 1 1\n",
  "%error 1 1 1\n",
  "%exit\n",
  "%exit server exited\n",
  "%output %0 done\n",
  "%output %0 \\033]7473;0000000000000000;end\\007\n",
  "%session-changed $0 haft\n%sessions-changed\n",
  "%window-close @0\n%unlinked-window-close @0\n",
  "%pause %0\n%client-detached /dev/pts/0\n",
  `${ESC}]7473;0000000000000000;end${BEL}`,
  `${ESC}]7473;;end${BEL}${ESC}]7473;end${BEL}`,
  `${ESC}]7473;0000000000000000;ready${BEL}${ESC}]7473;0000000000000000;begin${BEL}`,
  `${ESC}]133;D;0${BEL}${ESC}]133;A${BEL}`,
  `${ESC}]0;done:0${BEL}`,
  `${ESC}]2;%end 1 1 1${BEL}`,
  `${ESC}k%exit${ESC}\\`,
  `${ESC}_%exit${ESC}\\`,
  `${ESC}P%end 1 1 1${ESC}\\`,
  `${ESC}Ptmux;${ESC}${ESC}]0;x${BEL}${ESC}\\`,
  `${ESC}[?1049h${ESC}[?1049l`,
  `${ESC}c`,
  `${ESC}[2J${ESC}[H$ `,
  `${ESC}[8m@@0@@${ESC}[0m`,
  `${ESC}]0;an unfinished title`,
  `${ESC}P an unfinished string`,
  `${ESC}[5n${ESC}[6n${ESC}[c`,
  "0000000000000000 exit 0\n",
  "__M0:\n__DONE__0\n",
  "\r\n\r\n\r\u0000\b\b\b\u000e",
];

export const terminalForging: Suite<Fixture> = [
  on("terminal:forge:output", "Output that imitates the end of a command does not end it", async (fixture) => {
    for (const [index, text] of FORGED.entries()) {
      const what = `forged ${index}: ${JSON.stringify(text)}`;
      await bindAll(fixture).fs.writeFile(`${fixture.directory}/forged`, utf8(text));
      const result = await runInPane(fixture, "cat forged; sleep 0.02; echo; echo last; exit 7");
      expectEqual([result.ended, result.exit], ["itself", { by: "code", code: 7 }], what);
      expectThat(paneOutput(result).endsWith("\nlast\n"), `${what}: the output is whole`);
      expectThat(paneOutput(result).includes(text), `${what}: the text is in it`);
      await runInPane(fixture, `printf '\\033\\\\\\033c'`);
    }
    await expectUsable(fixture);
  }),
  on("terminal:forge:capture", "A captured text may contain lines of control mode", async (fixture) => {
    const lines = Array.from(
      { length: 300 },
      (_, index) => `%end ${Math.floor(fixture.clock.now() / 1_000)} ${index} 1`,
    );
    await bindAll(fixture).fs.writeFile(`${fixture.directory}/forged`, utf8(`${lines.join("\n")}\nlast line\n`));
    const { pane } = await terminalOf(fixture).open({});
    await runInPane(fixture, "cat forged", { pane });
    const { text } = await terminalOf(fixture).capture(pane, { ...PLAIN, from: "-" });
    expectThat(text.includes(lines.join("\n")), "every line is in the capture");
    await captureWith(fixture, pane, "last line");
    await terminalOf(fixture).close(pane);
  }),
];
