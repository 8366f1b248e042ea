/** What is said about a shell command: about every program in it, and every file that it names. */
import type { Access, CommandStart, Place, Risk } from "../kernel/index.js";
import {
  analyzeCommand,
  type CommandFile,
  type CommandProblem,
  type CommandSegment,
  changesPrograms,
} from "./commands/index.js";
import { isSensitiveGlob, judgePath, type PolicyRoot } from "./path-verdict.js";
import { afterTaint, allow, ask, deny, type Verdict } from "./verdict.js";

/** Where a command is judged. */
export interface PolicyPlace {
  readonly roots: readonly Required<PolicyRoot>[];
  readonly home: string;
  /** Whether the model was shown untrusted content in this session. */
  readonly isTainted: boolean;
}

/** Of a problem, where it is not high. */
const RISK_OF: Readonly<Partial<Record<CommandProblem["kind"], Risk>>> = { unresolved: "medium", "split-names": "low" };

/** Every verdict on the command; a segment that only reads inside the workspace gives an "allow". */
export function judgeCommand(start: CommandStart, { roots, home, isTainted }: PolicyPlace): readonly Verdict[] {
  const { command, cwd, env = {} } = start;
  const analyzed = analyzeCommand(command, { cwd, home, roots: roots.map(({ path }) => path) });
  const key = keyOf(start);
  const problems = analyzed.problems.map((problem) =>
    problem.kind === "destroys-root"
      ? deny("destroys-root", `\`${problem.text}\`: ${problem.detail}.`, "Name the files or directories to delete.")
      : ask(`command-${problem.kind}`, `\`${problem.text}\`: ${problem.detail}.`, RISK_OF[problem.kind] ?? "high", key),
  );
  const variables = Object.keys(env)
    .filter(changesPrograms)
    .map((name) => ask("command-environment", `It sets \`${name}\`, which changes what programs do.`, "high", key));
  const directory = judgePath({ path: cwd, access: ["read"], scope: "self" }, roots);
  return [
    ...problems,
    ...variables,
    ...analyzed.segments.flatMap((one) => judgeSegment(one, roots, key, isTainted)),
    directory,
  ];
}

function judgeSegment(
  segment: CommandSegment,
  roots: readonly Required<PolicyRoot>[],
  key: string,
  isTainted: boolean,
): Verdict[] {
  const { text, risk, reason, network, hosts, runsWorkspaceCode, files } = segment;
  const touched = files.filter(({ resolved }) => resolved).map((file) => judgeFile(file, roots));
  if (runsWorkspaceCode)
    return [...touched, ask("workspace-code", `\`${text}\` runs code of the workspace.`, "medium", key)];
  if (network) {
    const whom = hosts.includes("*") || hosts.length === 0 ? "" : ` of ${hosts.join(", ")}`;
    const verdict = ask("command-network", `\`${text}\` uses the network${whom}.`, "medium", key);
    return [...touched, isTainted ? afterTaint(verdict) : verdict];
  }
  const verdict =
    risk === "low"
      ? allow("command-low", `\`${text}\` ${reason}.`)
      : ask(`command-${risk}`, `\`${text}\` ${reason}.`, risk, key);
  return [verdict, ...touched];
}

function judgeFile(file: CommandFile, roots: readonly Required<PolicyRoot>[]): Verdict {
  const verdict = judgePath(placeOf(file), roots);
  if (verdict.effect !== "allow" || file.glob !== true || !isSensitiveGlob(file.path)) return verdict;
  return ask("sensitive-file", `"${file.path}" may stand for files that hold secrets.`, "medium");
}

function placeOf({ path, access, scope }: CommandFile): Place {
  const accesses: Readonly<Record<CommandFile["access"], readonly Access[]>> = {
    read: ["read"],
    write: ["write", "create"],
    delete: ["delete"],
  };
  return { path, access: accesses[access], scope };
}

/** The same command in the same directory with the same environment, stdin and background; nothing else. */
function keyOf({ command, cwd, env = {}, input, background }: CommandStart): string {
  const variables = Object.entries(env).sort(([one], [other]) => (one < other ? -1 : 1));
  return `command ${JSON.stringify([command, cwd, variables, input ?? null, background ?? null])}`;
}
