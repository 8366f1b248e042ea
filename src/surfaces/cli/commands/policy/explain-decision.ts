/** `haft policy explain`: the decision on a command, without running it. */
import pc from "picocolors";
import type { Decision, Risk } from "../../../../kernel/index.js";
import { analyzeCommand, type CommandSegment } from "../../../../policy/commands/index.js";
import { showControls } from "../../../../text/index.js";
import { printJson } from "../../output.js";
import { EXIT } from "../../usage.js";
import { configuredPolicy, type PolicyCommandOptions } from "./configured-policy.js";

export async function explainCommand(command: string, options: PolicyCommandOptions): Promise<number> {
  const { autonomy, workspace, home, roots, decide } = await configuredPolicy(options, "supervised");
  const directories = [workspace, ...roots.map(({ path }) => path)];
  const { segments } = analyzeCommand(command, { cwd: workspace, home, roots: directories });
  const decision = decide(command);
  const { effect, rule, risk, reason, suggestedRules } = decision;
  if (options.json) printJson({ autonomy, effect, rule, risk, reason, suggestedRules, segments }, 2);
  else process.stdout.write(shown(decision, segments));
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

function shown({ effect, rule, reason, next, suggestedRules }: Decision, segments: readonly CommandSegment[]): string {
  const head = `${COLORS[effect](pc.bold(effect))}  ${showControls(reason)}  ${pc.dim(`rule ${showControls(rule)}`)}`;
  const rows = segments.flatMap((one) => [
    `  ${COLORS[one.risk](one.risk.padEnd(6))}  ${showControls(`${one.text}: ${one.reason}`)}`,
    ...one.files.map(({ access, path, scope, resolved }) => {
      const where = resolved ? path : `${path} (not known before it runs)`;
      return pc.dim(
        `          ${access.padEnd(6)} ${showControls(where)}${scope === "tree" ? " and all below it" : ""}`,
      );
    }),
  ]);
  const step = suggestedRules === undefined || next === undefined ? [] : [showControls(next)];
  return `${[head, ...rows, ...step].join("\n")}\n`;
}
