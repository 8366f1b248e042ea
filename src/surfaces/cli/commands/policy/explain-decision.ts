/** `haft policy explain`: the decision on a command, without running it. */
import pc from "picocolors";
import { type Decision, isWithin, type PolicyFound, type Risk } from "../../../../kernel/index.js";
import { analyzeCommand, type CommandSegment } from "../../../../policy/commands/index.js";
import { showControls } from "../../../../text/index.js";
import { printJson } from "../../output.js";
import { EXIT } from "../../usage.js";
import { configuredPolicy, type PolicyCommandOptions, withExplainer } from "./configured-policy.js";

/** Entries that are shown at one path. */
const MAX_FOUND = 6;

export async function explainCommand(command: string, options: PolicyCommandOptions): Promise<number> {
  const configured = await configuredPolicy(options, "supervised");
  const { roots } = configured;
  const { decision, call, found } = await withExplainer(configured, (explain) => explain(command));
  const { workspace, home, target, autonomy } = call;
  const directories = [workspace, ...roots.map(({ path }) => path)];
  const { segments } = analyzeCommand(command, { cwd: workspace, home, roots: directories });
  const { effect, rule, risk, reason, suggestedRules } = decision;
  if (options.json)
    printJson({ autonomy, target, workspace, effect, rule, risk, reason, suggestedRules, segments, found }, 2);
  else process.stdout.write(shown(decision, segments, foundText(found, directories)));
  return EXIT.ok;
}

const COLORS: Readonly<Record<Risk | "allow" | "ask" | "deny", (text: string) => string>> = {
  allow: pc.green,
  low: pc.green,
  ask: pc.yellow,
  medium: pc.yellow,
  deny: pc.red,
  high: pc.red,
};

function shown(
  { effect, rule, reason, next, suggestedRules }: Decision,
  segments: readonly CommandSegment[],
  foundIn: (path?: string) => readonly string[],
): string {
  const head = `${COLORS[effect](pc.bold(effect))}  ${showControls(reason)}  ${pc.dim(`rule ${showControls(rule)}`)}`;
  const rows = segments.flatMap((one) => [
    `  ${COLORS[one.risk](one.risk.padEnd(6))}  ${showControls(`${one.text}: ${one.reason}`)}`,
    ...one.files.flatMap(({ access, path, scope, resolved, glob }) => {
      const where = resolved ? path : `${path} (not known before it runs)`;
      const row = `          ${access.padEnd(6)} ${showControls(where)}${scope === "tree" ? " and all below it" : ""}`;
      const found = resolved ? foundIn(glob === true ? path.replace(/\/[^/]*[*?[\\].*$/s, "") : path) : [];
      return [pc.dim(row), ...found];
    }),
  ]);
  const step = suggestedRules === undefined || next === undefined ? [] : [showControls(next)];
  return `${[head, ...rows, ...foundIn(), ...step].join("\n")}\n`;
}

/** Lines on what was found at a path and below it, or at all; each entry once. */
function foundText(
  found: readonly PolicyFound[],
  directories: readonly string[],
): (path?: string) => readonly string[] {
  const isOutside = ({ real }: PolicyFound) => !directories.some((directory) => isWithin(directory, real));
  const rank = (one: PolicyFound) => (isOutside(one) ? 0 : one.kind === "link" ? 2 : 1);
  let left = [...found].sort((one, other) => rank(one) - rank(other));
  return (path = "/") => {
    const here = left.filter((one) => isWithin(path, one.path));
    left = left.filter((one) => !here.includes(one));
    const lines = here.slice(0, MAX_FOUND).map((one) => {
      const what = one.path === path ? "" : `${one.real === one.path ? "holds " : ""}${one.path}`;
      return [what, ...(one.real === one.path ? [] : [`leads to ${one.real}`])].filter((part) => part !== "").join(" ");
    });
    const more = here.length - lines.length;
    return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].map(
      (line) => `                 ${showControls(line)}`,
    );
  };
}
