/** Started as a process by `killed-host.test.ts`, which kills it while a command runs in a pane. */
import { systemClock } from "../../host/index.js";
import { DEFAULT_PANE, PANE_ACTIONS } from "../../kernel/index.js";
import { bindAll } from "../../testing/index.js";
import { createLocalBackend } from "../local/index.js";
import { PANE_SHELLS } from "./shells.fixture.js";
import { withTmux } from "./with-tmux.js";

const [cwd = "", session] = process.argv.slice(2);
const backend = withTmux(createLocalBackend({ cwd, home: cwd }), {
  run: (argv) => argv,
  paneShell: PANE_SHELLS.bash,
  orphanMs: 500,
  ...(session === undefined ? {} : { session }),
});
const command = 'echo "$TMUX $$" > started; sleep 600';
const grant = { commands: [{ command, cwd }], panes: [{ id: "*", actions: PANE_ACTIONS }] };
await bindAll({ backend, clock: systemClock }, grant).terminal?.run(DEFAULT_PANE, command, { cwd });
