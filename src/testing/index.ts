/**
 * Conformance suites, fakes and transcripts, to test a backend or a store.
 *
 * A suite is a list of cases `{ id, behavior, run(fixture) }`; ids are `fs:*`, `shell:*`, `search:*`, `backend:*`, `artifacts:*`, `state:*` and `terminal:*`.
 * They are independent of a test runner. With vitest:
 *
 * ```ts
 * const plan: Plan<Fixture> = { name: "mine", create: openMyFixture, cannot: {}, knownFailures: {} };
 * for (const one of runnable(plan, [fsSuite, shellSuite, searchSuite, backendSuite])) {
 *   if (one.kind === "cannot") test.skip(`${one.id} (${one.reason})`, () => {});
 *   else test(`${one.id}: ${one.behavior}`, () => one.run());
 * }
 * ```
 */
export { type ArtifactsFixture, artifactsSuite } from "./artifacts-suite.js";
export { backendSuite } from "./backend-suite.js";
export {
  CANNOT_WITHOUT_PROCESSES,
  CANNOT_WITHOUT_SHELL,
  CANNOT_WITHOUT_SYMLINKS,
  COMPLETED_CANNOT,
} from "./cannot.js";
export { expectBytes, expectEqual, expectError, expectThat } from "./expect.js";
export { type FakeClock, fakeClock } from "./fakes/fake-clock.js";
export {
  type AuditRecord,
  type RecordingAudit,
  recordingAudit,
  type ScriptedApprover,
  scriptedApprover,
  sequentialIds,
} from "./fakes/fake-services.js";
export { type RecordingBackend, recordingBackend, type Touched } from "./fakes/recording-backend.js";
export { bindAll, type Fixture, type Plant, plant, plantByShell, treeGrant } from "./fixture.js";
export { type Case, cannotTable, type Plan, type RunnableCase, runnable, type Suite } from "./plan.js";
export { type Exchange, playTranscript } from "./play-transcript.js";
export { schemaProblems } from "./schema-problems.js";
export type { StateFixture } from "./state/state-fixture.js";
export {
  fsSuite,
  memoriesSuite,
  schedulesSuite,
  searchSuite,
  shellSuite,
  stateSuite,
  terminalSuite,
} from "./suites.js";
