import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../host/index.js";
import { conform } from "../../testing/conform.fixture.js";
import { backendSuite, fsSuite, plantByShell, searchSuite, shellSuite } from "../../testing/index.js";
import { createLocalBackend } from "../local/index.js";
import { closeInherited } from "../local/shell/inherited-descriptors.fixture.js";
import { createSandboxBackend } from "./index.js";

closeInherited();

const above = realpathSync(mkdtempSync(join(tmpdir(), "haft-confined-")));
const open = () => createSandboxBackend({ cwd: above });
const [backend, outside] = [await open(), createLocalBackend()];
afterAll(async () => {
  await Promise.all([backend.close(), outside.close()]);
  rmSync(above, { recursive: true, force: true });
});

const STATUS = "bwrap reports a signal as a status over 128";
const PIDS = "a pid that a command prints is one of its own PID namespace, and the case looks for it from another";

conform(
  {
    name: "sandbox",
    async create() {
      const dir = mkdtempSync(join(above, "case-"));
      return {
        backend,
        directory: dir,
        clock: systemClock,
        plant: plantByShell(outside),
        openAnother: open,
        dispose: async () => rmSync(dir, { recursive: true, force: true }),
      };
    },
    cannot: {
      "shell:exit:137-is-a-code": STATUS,
      "shell:exit:signal": STATUS,
      "shell:exec:term-ignored": PIDS,
      "shell:spawn:input-waits": PIDS,
      "shell:spawn:input-then-end-of-file": PIDS,
      "shell:process:own-group": "the group of a command is led by the first process of its sandbox",
      "shell:survivor:holds-nothing": "the first process of the sandbox holds the output until no other is left",
    },
    knownFailures: {},
  },
  [fsSuite, shellSuite, searchSuite, backendSuite],
);
