/** A shell command → which programs it starts, with which risk, and what they touch. Nothing is run, and no file is read. */
import type { Risk } from "../../kernel/index.js";
import {
  type AnalyzeOptions,
  type CommandJudgement,
  type CommandProblem,
  type CommandSegment,
  maxRisk,
} from "./judgement.js";
import { MAX_COMMAND_LENGTH } from "./limits.js";
import { ScriptWalk } from "./script-walk.js";

/**
 * Analyzes a shell command as `sh -c` would run it, whether `sh` is dash or bash.
 *
 * It guards against mistakes: programs do what their arguments do not show, so that the boundary is a sandbox or a backend. Never
 * throws. The time is linear in the length of the text; texts over 64 KiB are not parsed.
 */
export function analyzeCommand(text: string, options: AnalyzeOptions): CommandJudgement {
  if (text.length > MAX_COMMAND_LENGTH) {
    const detail = `it has ${text.length} characters, and the limit is ${MAX_COMMAND_LENGTH}`;
    return { segments: [], risk: "high", problems: [{ kind: "too-long", detail, text: text.slice(0, 80) }] };
  }
  const walk = new ScriptWalk();
  try {
    walk.start(text, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    walk.tooDeep(text); // the stack is exhausted before a limit is reached
  }
  const segments = walk.found.map((facts): CommandSegment => {
    if (!walk.remote.has(facts)) return facts.segment();
    const { directories: _, ...elsewhere } = facts.segment();
    return { ...elsewhere, files: [] };
  });
  const problems: CommandProblem[] = [
    ...walk.problems,
    ...walk.found.flatMap((facts) =>
      walk.remote.has(facts) ? facts.problems.filter(({ kind }) => kind === "dynamic-command") : facts.problems,
    ),
  ];
  const highest = segments.reduce<Risk>(
    (risk, segment) => maxRisk(risk, segment.risk),
    walk.problems.length > 0 ? "high" : "low",
  );
  return { segments, risk: highest, problems };
}
