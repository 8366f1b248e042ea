/** `haft connect`: what an MCP client needs to start Haft. */
import type { Command } from "commander";
import { CLIENT_NAMES } from "../clients/clients.js";
import { withExamples, withTargetOption } from "../command-parts.js";
import type { ConnectOptions } from "./connect/run-connect.js";

export function addConnectCommand(program: Command): void {
  withExamples(
    withTargetOption(
      program
        .command("connect [client]")
        .description("print what an MCP client needs to start Haft, or write it to the client's configuration")
        .option("--write", "write it: other entries and comments are preserved, and the old file is kept as a backup")
        .option("--user", "use the client's file for all projects where it also has one for the workspace")
        .option("--name <name>", "the server's name in the client", "haft")
        .option(
          "--workspace <dir>",
          "the working directory (default: the current directory; in a file for all projects none, if the client starts servers in the project)",
        )
        .option("--file <path>", "use this file instead of the client's usual one")
        .option("--json", "print file, text and state as JSON"),
    ),
    "haft connect",
    "haft connect cursor",
    "haft connect claude-code --write",
    "haft connect claude-code --sandbox",
    "haft connect cursor --ssh build@host",
  )
    .addHelpText("after", `\nClients: ${CLIENT_NAMES.join(", ")}.`)
    .action(async (client: string | undefined, options: ConnectOptions) => {
      const { connectCommand } = await import("./connect/run-connect.js");
      process.exitCode = await connectCommand(client, options);
    });
}
