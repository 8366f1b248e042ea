/** What `haft serve` prints: its address and how to configure a client. */
import pc from "picocolors";
import type { Autonomy } from "../../../../policy/index.js";
import { escapeControls, showControls } from "../../../../text/index.js";
import type { StartCommand } from "../../clients/clients.js";

const AT_LEVEL: Readonly<Record<Autonomy, string>> = {
  readonly: "Calls only read, and commands that do more are refused.",
  supervised: "Calls may read and write in the workspace; the user is asked about the rest.",
  full: "Calls run without confirmation.",
};

export interface Connection {
  readonly url: string;
  readonly token: string;
  /** Where calls run: the workspace, or each target. */
  readonly place: string;
  readonly autonomy: Autonomy;
  readonly tools: readonly string[];
  /** How a client starts the same server over stdio. */
  readonly start: StartCommand;
  /** What it says about schedules. Absent: it runs none. */
  readonly schedules?: string | undefined;
}

export function connectText(connection: Connection, isOnce: boolean): string {
  const { url, token, place, autonomy, tools, start, schedules } = connection;
  const block = {
    mcpServers: { haft: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } },
  };
  const byStdio = escapeControls(JSON.stringify({ mcpServers: { haft: start } }));
  const head = `${pc.bold("Haft")} serves ${tools.length} tools ${showControls(`${place}: ${tools.join(", ")}`)}
${AT_LEVEL[autonomy]}`;
  const alsoRuns = schedules === undefined ? "" : `\n${showControls(schedules)}`;
  const asYou = autonomy === "full" ? "can run commands as you" : "can make such calls as you";
  if (isOnce)
    return `${head} A client ${asYou}.

Add this to the configuration of an MCP client, which then starts the server itself:

${byStdio}

Over HTTP the server listened at ${url} and stopped because of --once; that address and its token are no longer valid.
Without --once it prints both, ready to paste, and serves until Ctrl+C.
`;
  return `${head} Anyone with this token ${asYou}.${alsoRuns}

${pc.bold("URL")}    ${url}
${pc.bold("Token")}  ${token}

Add this to the configuration of your MCP client:

${JSON.stringify(block, null, 2)}

A client that starts its servers itself (stdio) needs no URL and no token:

${byStdio}

Ctrl+C stops the server and kills the background processes of its calls.
`;
}
