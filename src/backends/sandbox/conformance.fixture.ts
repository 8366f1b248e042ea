/** How the suites run on the sandbox: in the process of the tests, and in one of a plain user. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../host/index.js";
import {
  backendSuite,
  type Fixture,
  fsSuite,
  type Plan,
  plantByShell,
  searchSuite,
  shellSuite,
} from "../../testing/index.js";
import { createLocalBackend } from "../local/index.js";
import { createSandboxBackend } from "./index.js";

export const SANDBOX_SUITES = [fsSuite, shellSuite, searchSuite, backendSuite];

const STATUS = "bwrap reports a signal as a status over 128";
const PIDS = "a pid that a command prints is one of its own PID namespace, and the case looks for it from another";

/** What its cases do not require of it. */
export const SANDBOX_CANNOT: Readonly<Record<string, string>> = {
  "shell:exit:137-is-a-code": STATUS,
  "shell:exit:signal": STATUS,
  "shell:exec:term-ignored": PIDS,
  "shell:spawn:input-waits": PIDS,
  "shell:spawn:input-then-end-of-file": PIDS,
  "shell:process:own-group": "the group of a command is led by the first process of its sandbox",
  "shell:survivor:holds-nothing": "the first process of the sandbox holds the output until no other is left",
};

/** @param above - Gives a directory of the test's own; each case gets one below it. Call `close` at the end. */
export function sandboxPlan(above: () => string): Plan<Fixture> & { close(): Promise<void> } {
  const open = () => createSandboxBackend({ cwd: above() });
  const outside = createLocalBackend();
  let opening: ReturnType<typeof open> | undefined;
  return {
    name: "sandbox",
    async create() {
      opening ??= open();
      const backend = await opening;
      const dir = mkdtempSync(join(above(), "case-"));
      return {
        backend,
        directory: dir,
        clock: systemClock,
        plant: plantByShell(outside),
        openAnother: () => createSandboxBackend({ cwd: above(), stateDir: join(above(), ".state") }),
        dispose: async () => rmSync(dir, { recursive: true, force: true }),
      };
    },
    async close() {
      await Promise.all([opening?.then((backend) => backend.close()), outside.close()]);
    },
    cannot: SANDBOX_CANNOT,
    knownFailures: {},
  };
}
