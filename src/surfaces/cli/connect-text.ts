/** What `haft serve` prints: where it listens and how a client is told so. */
import pc from "picocolors";
import { escapeControls, showControls } from "../../text/index.js";
import type { StartCommand } from "./clients/clients.js";

export interface Connection {
  readonly url: string;
  readonly token: string;
  readonly workspace: string;
  readonly tools: readonly string[];
  /** How a client starts the same server itself. */
  readonly start: StartCommand;
}

/** The address, the token, and a block to paste into the client's configuration. */
export function connectText(connection: Connection, isOnce: boolean): string {
  const { url, token, workspace, tools, start } = connection;
  const block = {
    mcpServers: { haft: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } },
  };
  const byStdio = escapeControls(JSON.stringify({ mcpServers: { haft: start } }));
  const head = `${pc.bold("Haft")} serves ${tools.length} tools in ${showControls(`${workspace}: ${tools.join(", ")}`)}
Nothing is asked before a call runs.`;
  if (isOnce)
    return `${head} A client can run commands as you.

Paste this into the configuration of an MCP client, which then starts the server itself:

${byStdio}

Over HTTP the server listened at ${url}, until --once ended it here: that address and its token are gone.
Without --once it prints both, ready to paste, and serves until Ctrl+C.
`;
  return `${head} Anybody with this token can run commands as you.

${pc.bold("URL")}    ${url}
${pc.bold("Token")}  ${token}

Paste this into the configuration of your MCP client:

${JSON.stringify(block, null, 2)}

A client that starts its servers itself needs no address and no token:

${byStdio}

Ctrl+C ends it, with all that its calls left running.
`;
}
