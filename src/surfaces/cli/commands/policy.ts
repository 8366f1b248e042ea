/** `haft policy`: what runs without confirmation, and the rules that change it. */
import type { Command } from "commander";
import { withConfigOptions, withExamples, withJsonOption, withTargetOption } from "../command-parts.js";
import type { PolicyCommandOptions } from "./policy/configured-policy.js";
import type { TrustOptions } from "./policy/trust-project.js";

const RULES = `
RULE is one of
  npm test           exactly this program with these words; git status * also with any further ones
  path:infra/**      a path with everything below it: relative to the workspace, absolute or ~/…; * and ** are wildcards.
                     allow opens it for reading, "write path:…" for writing too; ask and deny hold for everything that is
                     done with it, "read path:…" and "write path:…" for that alone
  host:example.com   a host; host:*.example.com is all below it
  tool:bash          a tool by Haft's own name, or server__tool; * is a wildcard
A deny beats an ask, which beats an allow. The rule is written into your own haft.jsonc and holds in every workspace, from the
next start on.`;

const EDITS = [
  ["allow", "let something run without confirmation", ["'npm test'", "'git commit *'", "path:~/notes"]],
  ["ask", "ask about something that would run without confirmation", ["'npm publish *'", "'write path:package.json'"]],
  ["deny", "refuse something always", ["'path:infra/**'", "'git push *'"]],
] as const;

export function addPolicyCommand(program: Command): void {
  const policy = withExamples(
    program.command("policy").description("what runs without confirmation: the level, the rules, and what they decide"),
    "haft policy",
    "haft policy allow 'npm test'",
    "haft policy explain 'npm test'",
  );
  const forPolicy = (command: Command) =>
    withConfigOptions(command)
      .option("--autonomy <level>", "readonly, supervised or full (default: as configured, else supervised)")
      .option("--dialect <name>", "the dialect, since zeroclaw has a policy of its own (default: as configured)");
  const forCommands = (command: Command) => withTargetOption(forPolicy(command));
  withExamples(
    withJsonOption(
      forPolicy(
        policy.command("list", { isDefault: true }).description("print the level, and the rules with their sources"),
      ),
    ),
    "haft policy list",
  ).action(async (options: PolicyCommandOptions) => {
    const { listCommand } = await import("./policy/list-rules.js");
    process.exitCode = await listCommand(options);
  });
  withExamples(
    withJsonOption(
      forCommands(
        policy
          .command("explain <command>")
          .description(
            "print the decision on a shell command, each program and file in it, and where symlinks and trees lead; nothing is run",
          )
          .showHelpAfterError("The command is one argument, in quotes: haft policy explain 'git status'"),
      ),
    ),
    "haft policy explain 'git log | head'",
    "haft policy explain 'grep -r TODO .' --on posix:dash",
    "haft policy explain 'rm -rf build && npm test' --json",
  ).action(async (command: string, options: PolicyCommandOptions) => {
    const { explainCommand } = await import("./policy/explain-decision.js");
    process.exitCode = await explainCommand(command, options);
  });
  addEditCommands(policy);
  withExamples(
    forCommands(
      policy
        .command("check <file>")
        .description(
          "compare the decisions on commands with expected ones: lines such as `deny rm -rf /`, # for comments",
        ),
    ),
    "haft policy check policy-cases.txt",
  ).action(async (file: string, options: PolicyCommandOptions) => {
    const { checkFile } = await import("./policy/check-decisions.js");
    process.exitCode = await checkFile(file, options);
  });
}

function addEditCommands(policy: Command): void {
  for (const [effect, description, examples] of EDITS)
    withExamples(
      policy.command(`${effect} <rule>`).description(description).addHelpText("after", RULES),
      ...examples.map((rule) => `haft policy ${effect} ${rule}`),
    ).action(async (rule: string) => {
      const { addRule } = await import("./policy/add-rule.js");
      process.exitCode = await addRule(effect, rule);
    });
  withExamples(
    policy
      .command("remove <rule>")
      .description("take a rule out of your own haft.jsonc: a whole one, or its RULE without allow, ask or deny"),
    "haft policy remove 'allow npm test'",
    "haft policy remove path:infra/**",
  ).action(async (rule: string) => {
    const { removeRule } = await import("./policy/add-rule.js");
    process.exitCode = await removeRule(rule);
  });
  withExamples(
    policy
      .command("trust [dir]")
      .description(
        "show what a project's haft.jsonc allows and, after a yes, follow it until the file changes; its asks and denials hold anyway",
      )
      .option("--yes", "follow it without a question, as is required where there is no terminal")
      .option("--remove", "no longer follow it"),
    "haft policy trust ~/src/shop --yes",
    "haft policy trust --remove ~/src/shop",
  ).action(async (directory: string | undefined, options: TrustOptions) => {
    const { trustProject } = await import("./policy/trust-project.js");
    process.exitCode = await trustProject(directory, options);
  });
}
