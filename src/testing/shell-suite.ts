import type { Fixture } from "./fixture.js";
import type { Suite } from "./plan.js";
import { shellDirectory } from "./shell/directory.js";
import { shellEnding } from "./shell/ending.js";
import { shellInput } from "./shell/input.js";
import { shellJobs } from "./shell/jobs.js";
import { shellOutput } from "./shell/output.js";
import { shellRefusing } from "./shell/refusing.js";
import { shellRunning } from "./shell/running.js";
import { shellSpawning } from "./shell/spawning.js";

/** What every `Shell` guarantees: what a command gets, what it returns, and how it ends. */
export const shellSuite: Suite<Fixture> = [
  ...shellRunning,
  ...shellRefusing,
  ...shellDirectory,
  ...shellOutput,
  ...shellEnding,
  ...shellSpawning,
  ...shellInput,
  ...shellJobs,
];
