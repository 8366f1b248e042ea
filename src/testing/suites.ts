/** The suites that consist of several files of cases, one for each port. */
import type { Fixture } from "./fixture.js";
import { fsDirectories } from "./fs/directories.js";
import { fsErrorMessages } from "./fs/error-messages.js";
import { fsExceptedNames } from "./fs/excepted-names.js";
import { fsGuard } from "./fs/guard.js";
import { fsNames } from "./fs/names.js";
import { fsReading } from "./fs/reading.js";
import { fsStreaming } from "./fs/streaming.js";
import { fsSymlinks } from "./fs/symlinks.js";
import { fsWriting } from "./fs/writing.js";
import type { Suite } from "./plan.js";
import { searchBounds } from "./search/bounds.js";
import { searchChoosing } from "./search/choosing.js";
import { searchIgnoring } from "./search/ignoring.js";
import { searchLines } from "./search/lines.js";
import { searchMatching } from "./search/matching.js";
import { shellClaiming } from "./shell/claiming.js";
import { shellDirectory } from "./shell/directory.js";
import { shellEnding } from "./shell/ending.js";
import { shellInput } from "./shell/input.js";
import { shellJobs } from "./shell/jobs.js";
import { shellOutput } from "./shell/output.js";
import { shellRefusing } from "./shell/refusing.js";
import { shellRunning } from "./shell/running.js";
import { shellSpawning } from "./shell/spawning.js";
import { shellStopping } from "./shell/stopping.js";
import { stateApprovals } from "./state/approvals.js";
import { stateDocuments } from "./state/documents.js";
import { stateMemories } from "./state/memories.js";
import { stateScheduleEnds } from "./state/schedule-ends.js";
import { stateSchedules } from "./state/schedules.js";
import { stateSessions } from "./state/sessions.js";
import type { StateFixture } from "./state/state-fixture.js";
import { terminalForging } from "./terminal/forging.js";
import { terminalGuarding } from "./terminal/guarding.js";
import { terminalRunning } from "./terminal/running.js";
import { terminalTyping } from "./terminal/typing.js";

/** What every `Fs` guarantees: reading, writing, directories, names, error messages, symlinks, and that it never leaves its grant. */
export const fsSuite: Suite<Fixture> = [
  ...fsReading,
  ...fsWriting,
  ...fsStreaming,
  ...fsDirectories,
  ...fsNames,
  ...fsErrorMessages,
  ...fsSymlinks,
  ...fsGuard,
  ...fsExceptedNames,
];

/** What every `Search` guarantees: what a pattern finds, which files are searched, and how a search ends. */
export const searchSuite: Suite<Fixture> = [
  ...searchMatching,
  ...searchLines,
  ...searchChoosing,
  ...searchIgnoring,
  ...searchBounds,
];

/** What every `Shell` guarantees: what a command gets, what it returns, and how it ends. */
export const shellSuite: Suite<Fixture> = [
  ...shellRunning,
  ...shellClaiming,
  ...shellRefusing,
  ...shellDirectory,
  ...shellOutput,
  ...shellEnding,
  ...shellStopping,
  ...shellSpawning,
  ...shellInput,
  ...shellJobs,
];

/** What every `State` guarantees: exact documents and atomic updates, sessions that end, approvals that are used once. */
export const stateSuite: Suite<StateFixture> = [...stateDocuments, ...stateSessions, ...stateApprovals];

/** What every `State` with memories guarantees: entries with their versions, and a search that finds them. */
export const memoriesSuite: Suite<StateFixture> = stateMemories;

/** What every `State` with schedules guarantees: each due time has one record, and each run one host. */
export const schedulesSuite: Suite<StateFixture> = [...stateSchedules, ...stateScheduleEnds];

/** What every `Terminal` guarantees: commands that run exactly and end only at their end, exact keys, and captures. */
export const terminalSuite: Suite<Fixture> = [
  ...terminalRunning,
  ...terminalForging,
  ...terminalGuarding,
  ...terminalTyping,
];
