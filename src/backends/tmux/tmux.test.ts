import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../host/index.js";
import type { Backend } from "../../kernel/index.js";
import { conform } from "../../testing/conform.fixture.js";
import { plantByShell, terminalSuite } from "../../testing/index.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { createLocalBackend } from "../local/index.js";
import { openLocalPosix } from "../posix/index.js";
import { PANE_SHELLS, type PaneShellName, testPlace } from "./shells.fixture.js";
import { withTmux } from "./with-tmux.js";

/** Runs under each shell what depends on it; the rest under bash alone. */
const OF_EACH_SHELL = /^terminal:(run|forge:output|send:exact)/;

function conformOver(name: string, shell: PaneShellName, open: (cwd: string) => Backend | Promise<Backend>): void {
  withPrograms(name, ["tmux", PANE_SHELLS[shell][0]], () => {
    const place = testPlace();
    let opening: Promise<Backend> | undefined;
    let count = 0;
    const opened = () => {
      opening ??= Promise.resolve(open(place.directory)).then((base) =>
        withTmux(base, { run: (argv) => argv, paneShell: PANE_SHELLS[shell] }),
      );
      return opening;
    };
    afterAll(async () => {
      await (await opening)?.close();
      place.remove();
    });
    conform(
      {
        name,
        async create() {
          const backend = await opened();
          count += 1;
          const directory = join(place.directory, `case-${count}`);
          mkdirSync(directory);
          return {
            backend,
            directory,
            clock: systemClock,
            plant: plantByShell(backend),
            dispose: async () => rmSync(directory, { recursive: true, force: true }),
          };
        },
        cannot: {},
        knownFailures: {},
      },
      [terminalSuite],
      ({ id }) => name === "local+tmux, bash" || OF_EACH_SHELL.test(id),
    );
  });
}

for (const shell of Object.keys(PANE_SHELLS) as PaneShellName[])
  conformOver(`local+tmux, ${shell}`, shell, (cwd) => createLocalBackend({ cwd, home: cwd }));
conformOver("posix+tmux, dash", "dash", (cwd) => openLocalPosix({ shell: "dash", cwd }));
