/** Analyzes shell commands: which programs run, with which risk, and what they touch. Pure. */
export { analyzeCommand } from "./analyze-command.js";
export { changesPrograms } from "./environment.js";
export type {
  AnalyzeOptions,
  CommandFile,
  CommandJudgement,
  CommandProblem,
  CommandSegment,
  CommandWord,
  ReadExtent,
} from "./judgement.js";
export { runnerLength } from "./runners.js";
