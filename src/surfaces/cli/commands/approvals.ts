/** `haft approvals`: calls that wait until a user has decided on them. */
import type { Command } from "commander";
import { withExamples, withJsonOption, withSharedStateOptions } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import type { DenyOptions, GrantOptions, ListOptions } from "./approvals/run-approvals.js";

export function addApprovalsCommand(program: Command): void {
  const approvals = withExamples(
    program
      .command("approvals")
      .description(
        "list the calls that wait for an approval, and allow or deny them; each waits until its session ends",
      ),
    "haft approvals",
    "haft approvals show 3f9a2c1b",
  );
  withExamples(
    withJsonOption(
      withSharedStateOptions(
        approvals
          .command("list", { isDefault: true })
          .description("list the calls that wait, the oldest first")
          .option("--all", "also those that were decided and not sent again yet"),
      ),
    ),
    "haft approvals",
    "haft approvals list --all --json",
  ).action(async (options: ListOptions) => {
    const { listApprovals } = await import("./approvals/run-approvals.js");
    process.exitCode = await listApprovals(options);
  });
  withExamples(
    withJsonOption(
      withSharedStateOptions(
        approvals
          .command("show <token>")
          .description("print what one would do; a unique beginning of the token is enough"),
      ),
    ),
    "haft approvals show 3f9a2c1b",
  ).action(async (token: string, options: ListOptions) => {
    const { showApproval } = await import("./approvals/run-approvals.js");
    process.exitCode = await showApproval(token, options);
  });
  withExamples(
    withSharedStateOptions(
      approvals
        .command("grant <token>")
        .description("allow the call once; it runs when its client sends it again")
        .option("--session", "also allow what the policy counts as the same, until the session ends")
        .option("--project", "also allow what the policy counts as the same, in this project from now on"),
    ),
    "haft approvals grant 3f9a2c1b",
    "haft approvals grant 70be51d2 --project",
  ).action(async (token: string, options: GrantOptions) => {
    const { grantApproval } = await import("./approvals/run-approvals.js");
    process.exitCode = await grantApproval(token, options);
  });
  withExamples(
    withSharedStateOptions(
      approvals
        .command("deny <token>")
        .description("refuse the call; a grant that was not used yet is withdrawn")
        .option("--reason <text>", "what the model reads"),
    ),
    "haft approvals deny 70be51d2 --reason 'Use the staging server.'",
  ).action(async (token: string, options: DenyOptions) => {
    const { denyApproval } = await import("./approvals/run-approvals.js");
    process.exitCode = await denyApproval(token, options);
  });
  withExamples(
    withSharedStateOptions(
      approvals
        .command("forget")
        .description("take back everything that was granted for projects; you are then asked again"),
    ),
    "haft approvals forget",
  ).action(async (options: StateOptions) => {
    const { forgetApprovals } = await import("./approvals/run-approvals.js");
    process.exitCode = await forgetApprovals(options);
  });
}
