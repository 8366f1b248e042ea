/** The commands that look after artifacts. */
import type { Command } from "commander";
import { withExamples, withStateOption } from "./command-parts.js";
import type { ArtifactsOptions, ExportOptions, ShowOptions } from "./commands/artifacts.js";

export function addArtifactsCommands(program: Command): void {
  const artifacts = withExamples(
    program
      .command("artifacts")
      .description("outputs that did not fit their answer, and the bytes that calls have replaced or deleted"),
    `haft call write '{"path":"old.txt","content":"old words"}'`,
    `haft call delete '{"path":"old.txt"}'`,
    "haft artifacts list",
    "haft artifacts export last old.txt",
  );
  withExamples(
    withStateOption(artifacts.command("list [session]").description("what is kept, of one session or all")).option(
      "--json",
      "print it as JSON",
    ),
    "haft artifacts list",
    "haft artifacts list trial --json",
  ).action(async (session: string | undefined, options: ArtifactsOptions) => {
    const { listArtifacts } = await import("./commands/artifacts.js");
    process.exitCode = await listArtifacts(session, options);
  });
  withExamples(
    withStateOption(artifacts.command("show <id>").description('print one; "last" is the one that was made last'))
      .option("--lines <range>", "only these lines: 1-20, 40- or 7")
      .option("--raw", "every byte, also on a terminal"),
    "haft artifacts show last",
    "haft artifacts show last --lines 1-20",
  ).action(async (id: string, options: ShowOptions) => {
    const { showArtifact } = await import("./commands/artifacts.js");
    process.exitCode = await showArtifact(id, options);
  });
  withExamples(
    withStateOption(
      artifacts.command("export <id> <path>").description("write one to a file, all of it or nothing"),
    ).option("--force", "replace a file that stands there"),
    "haft artifacts export last restored.txt",
    "haft artifacts export last restored.txt --force",
  ).action(async (id: string, path: string, options: ExportOptions) => {
    const { exportArtifact } = await import("./commands/artifacts.js");
    process.exitCode = await exportArtifact(id, path, options);
  });
  withExamples(
    withStateOption(artifacts.command("remove <ids...>").description("remove some for good")).option(
      "--json",
      "print it as JSON",
    ),
    "haft artifacts remove last",
  ).action(async (ids: readonly string[], options: ArtifactsOptions) => {
    const { removeArtifacts } = await import("./commands/artifacts.js");
    process.exitCode = await removeArtifacts(ids, options);
  });
}
