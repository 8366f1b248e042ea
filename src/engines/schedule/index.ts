/** When schedules are due. Load it with `import()`: it brings the parser of cron expressions. */
export { duePlan, MAX_MISSED_RUNS } from "./due-plan.js";
export { durationOf, parseTiming, type TimingProblem, type TimingWords } from "./parse-timing.js";
export { duesBetween, durationText, localText, nextDue, timingText, zoneOf } from "./timing.js";
