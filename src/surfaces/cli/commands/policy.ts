/** `haft policy`: what the policy says of a command, without running it. */
import type { Command } from "commander";
import pc from "picocolors";
import type { Risk } from "../../../kernel/index.js";
import type { CommandSegment } from "../../../policy/commands/index.js";
import { showControls } from "../../../text/index.js";
import { withConfigOptions, withExamples, withJsonOption } from "../command-parts.js";
import type { ConfigOptions } from "../configuration.js";
import { printJson } from "../output.js";
import { EXIT } from "../usage.js";

interface ExplainOptions extends ConfigOptions {
  readonly autonomy?: string;
  readonly json?: boolean;
}

export function addPolicyCommand(program: Command): void {
  const policy = withExamples(
    program.command("policy").description("see what runs without confirmation"),
    "haft policy explain 'npm test'",
  );
  withExamples(
    withJsonOption(
      withConfigOptions(
        policy
          .command("explain <command>")
          .description("print the decision on a shell command, and each program and file in it; nothing is run")
          .option("--autonomy <level>", "readonly, supervised or full", "supervised"),
      ),
    ),
    "haft policy explain 'git log | head'",
    "haft policy explain 'rm -rf build && npm test' --json",
  ).action(async (command: string, options: ExplainOptions) => {
    process.exitCode = await explain(command, options);
  });
}

async function explain(command: string, options: ExplainOptions): Promise<number> {
  const { loadConfig, reportIgnored } = await import("../configuration.js");
  const { autonomyOf, settledWorkspace } = await import("../common-options.js");
  const { autonomyPolicy } = await import("../../../policy/autonomy-policy.js");
  const { analyzeCommand } = await import("../../../policy/commands/index.js");
  const { homeDirectory } = await import("../../../host/index.js");
  const autonomy = autonomyOf(options.autonomy);
  const loaded = await loadConfig(options);
  reportIgnored(loaded);
  const cwd = settledWorkspace(options.workspace, loaded.settled);
  const home = homeDirectory();
  const { segments } = analyzeCommand(command, { cwd, home });
  const { effect, rule, risk, reason } = autonomyPolicy().decide([{ kind: "command", command, cwd }], {
    callId: "explain",
    tool: "bash",
    effect: "write",
    target: "local",
    sessionId: "explain",
    cwd,
    workspace: cwd,
    home,
    autonomy,
    sandboxed: false,
    taint: [],
  });
  if (options.json) printJson({ autonomy, effect, rule, risk, reason, segments }, 2);
  else process.stdout.write(shown({ effect, rule, reason }, segments));
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
  {
    effect,
    rule,
    reason,
  }: { readonly effect: "allow" | "ask" | "deny"; readonly rule: string; readonly reason: string },
  segments: readonly CommandSegment[],
): string {
  const head = `${COLORS[effect](pc.bold(effect))}  ${showControls(reason)}  ${pc.dim(`rule ${rule}`)}`;
  const rows = segments.flatMap((one) => [
    `  ${COLORS[one.risk](one.risk.padEnd(6))}  ${showControls(`${one.text}: ${one.reason}`)}`,
    ...one.files.map(({ access, path, scope, resolved }) => {
      const where = resolved ? path : `${path} (not known before it runs)`;
      return pc.dim(
        `          ${access.padEnd(6)} ${showControls(where)}${scope === "tree" ? " and all below it" : ""}`,
      );
    }),
  ]);
  return `${[head, ...rows].join("\n")}\n`;
}
