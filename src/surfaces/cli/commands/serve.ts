/** `haft serve`: an MCP server. */
import type { Command } from "commander";
import { withCollectionOption, withExamples, withToolkitOptions } from "../command-parts.js";
import type { ServeOptions } from "./serve/run-serve.js";

export function addServeCommand(program: Command): void {
  withExamples(
    withToolkitOptions(
      withCollectionOption(
        program
          .command("serve")
          .description("serve the tools to MCP clients: over HTTP on this machine, or over stdio")
          .option("--stdio", "serve one client over stdin and stdout")
          .option(
            "--port <number>",
            "the HTTP port, or the next free one (default: from the configuration, else any free port)",
          )
          .option("--no-schedules", "do not run schedules while it serves")
          .option("--once", "exit after printing how to connect"),
      ),
    ),
    "haft serve",
    "haft serve --port 7070",
    "haft serve --stdio --workspace ~/project",
    "haft serve --sandbox",
    "haft serve --on local --on posix:dash=$HOME/project",
    "haft serve --on ssh:build@host=/srv/app --on container:web",
    "haft serve --tmux work",
  ).action(async (options: ServeOptions) => {
    const { serveCommand } = await import("./serve/run-serve.js");
    process.exitCode = await serveCommand(options);
  });
}
