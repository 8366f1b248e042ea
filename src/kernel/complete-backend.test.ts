import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conform, realClock } from "../../test/conformance.js";
import {
  backendSuite,
  type Fixture,
  fsSuite,
  type Plan,
  plantByShell,
  searchSuite,
  shellSuite,
} from "../testing/index.js";
import { nodeCore } from "./core-backend/node-core.fixture.js";
import { completeBackend } from "./index.js";

const reasons = (reason: string, ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, reason]));

async function fixtureOf(): Promise<Fixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-core-")));
  const backend = completeBackend(nodeCore(folder, realClock));
  return {
    backend,
    folder,
    clock: realClock,
    plant: plantByShell(backend),
    openAnother: async () => completeBackend(nodeCore(folder, realClock)),
    async dispose() {
      await backend.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const corePlan: Plan<Fixture> = {
  name: "completed",
  create: fixtureOf,
  cannot: {
    ...reasons("the core does not tell kinds beside file and folder", ["fs:read:fifo-is-refused"]),
    ...reasons("the core overwrites files where they stand", ["fs:replace:by-renaming", "fs:replace:whole-or-nothing"]),
    ...reasons("the core does not tell modes", ["fs:replace:keeps-mode"]),
    ...reasons("the core tells that a path is a link, not its text, and cannot move one", [
      "fs:link:to-a-file",
      "fs:link:write-follows",
      "fs:link:dangling",
      "fs:link:dangling-is-never-replaced",
      "fs:link:loop",
      "fs:link:rename-takes-the-link",
      "fs:link:rename-to-a-taken-name",
      "fs:link:mkdir-over-a-link",
      "fs:resolve:many",
      "fs:resolve:link-text-is-walked",
    ]),
    ...reasons("the core does not tell which names are of one file", ["fs:rename:hard-links"]),
    ...reasons("checked, then acted on: a swap in between can win", ["fs:guard:swapped-during-the-act"]),
    ...reasons("the core hands a command over as one argument", ["shell:exec:long-command"]),
    ...reasons("the core does not name signals", ["shell:exit:signal"]),
    ...reasons("the core tells output at the end", ["shell:output:told-before-the-end"]),
    ...reasons("the core tells output at the end, so the case cannot know when to stop it", [
      "shell:exec:abort-ends-tree",
      "shell:exec:call-end-ends-tree",
    ]),
    ...reasons("the core knows nothing of processes", [
      "shell:tree:gone",
      "shell:exec:timeout-ends-tree",
      "shell:exec:call-deadline",
      "shell:exec:odd-numbers",
      "shell:exec:term-is-heard",
      "shell:exec:term-ignored",
      "shell:exec:child-ignores-term",
      "shell:exec:new-session-ends-too",
      "shell:exec:endless-output",
      "shell:output:a-stuck-listener-holds-no-deadline",
      "shell:survivor:does-not-hold-the-call",
      "shell:survivor:holds-nothing",
      "shell:survivor:new-session",
      "shell:survivor:output-does-not-leak",
      "shell:survivor:slow-printer-does-not-leak",
      "shell:survivor:output-before-the-end-is-whole",
      "shell:jobs:survivors",
    ]),
    ...reasons("the core has no commands that outlive their call", [
      "shell:spawn:result",
      "shell:spawn:cannot-start",
      "shell:spawn:outlives-the-call",
      "shell:spawn:handle-is-revoked",
      "shell:session:ends-its-jobs",
      "shell:attach:unclaimed-is-refused",
      "shell:spawn:output",
      "shell:spawn:input",
      "shell:spawn:input-waits",
      "shell:spawn:input-then-end-of-file",
      "shell:spawn:input-closed",
      "shell:spawn:input-closed-by-itself",
      "shell:spawn:input-end",
      "shell:spawn:kill",
      "shell:spawn:listeners",
      "shell:jobs:running-and-ended",
      "shell:jobs:of-a-session",
    ]),
  },
  knownFailures: {},
};

conform(corePlan, [fsSuite, shellSuite, searchSuite, backendSuite]);
