import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../../host/index.js";
import { baseEnvironment } from "../../../host/process/command-environment.js";
import { PipePool } from "../../../host/process/pipe-pool.js";
import { type Backend, type Search, SessionJobs } from "../../../kernel/index.js";
import { conform } from "../../../testing/conform.fixture.js";
import { plantByShell, shellSuite } from "../../../testing/index.js";
import { isSampled } from "../../../testing/long.fixture.js";
import { LocalFs, localFsTools } from "../fs/local-fs.js";
import { guardMode } from "../fs/pinned-directory.js";
import { CommandHost } from "./command-host.js";
import { closeInherited } from "./inherited-descriptors.fixture.js";
import { LocalShell } from "./local-shell.js";

closeInherited();

/** No case of the shell searches. */
const NO_SEARCH: Search = {
  grep: () => {
    throw new Error("not here");
  },
  walk: () => {
    throw new Error("not here");
  },
};

// A system on which no pipes can be made: commands get the sockets that Node makes for them.
const host = new CommandHost({
  name: "local",
  mode: guardMode(),
  pool: new PipePool(false),
  env: baseEnvironment(process.env, [], {}),
});
const fsTools = localFsTools(guardMode());
const root = { fs: new LocalFs(fsTools), shell: new LocalShell(host) };
const sessions = new SessionJobs(root.shell);
const backend: Pick<Backend, "bind" | "root" | "flags" | "endSession"> = {
  root,
  flags: { detach: true },
  endSession: (id) => sessions.end(id),
  bind: (grant, call) => ({
    fs: new LocalFs(fsTools, { grant, call }),
    shell: sessions.ofCall(new LocalShell(host, { grant, call }), call.sessionId),
    search: NO_SEARCH,
  }),
};
afterAll(async () => void (await host.close(1_000)));

conform(
  {
    name: "local shell on sockets",
    async create() {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "haft-sockets-")));
      return {
        backend: backend as Backend,
        directory: dir,
        clock: systemClock,
        plant: plantByShell(backend as Backend),
        dispose: async () => rmSync(dir, { recursive: true, force: true }),
      };
    },
    cannot: {
      "shell:spawn:waiting": "a read of a socket is not seen as a read of the command's input",
      "shell:survivor:does-not-hold-the-call":
        "which socket a survivor holds is not to be seen once the leader has gone",
    },
    knownFailures: {},
  },
  [shellSuite],
  // With pipes the local backend proves all of it.
  (_one, index) => isSampled(index),
);
