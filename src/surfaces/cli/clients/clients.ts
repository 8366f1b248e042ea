/** The configuration of each MCP client: file, format and entry. */
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { homeDirectory } from "../../../host/index.js";

/** The MCP clients that `haft connect` supports, as they are typed. */
export const CLIENT_NAMES = [
  "claude-code",
  "claude-desktop",
  "codex",
  "cursor",
  "gemini-cli",
  "opencode",
  "vscode",
  "windsurf",
  "zed",
] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];

/** A client's file that is left unchanged. The message is the reason, as it reads after "Did not change FILE:". */
export class EntryProblem extends Error {
  override readonly name = "EntryProblem";
}

/** How Haft is started: a program and its arguments. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** One server in a client's file. */
export type ClientEntry = Readonly<Record<string, string | boolean | readonly string[]>>;

/** How a client configures its servers. */
export interface Client {
  readonly title: string;
  readonly format: "json" | "toml";
  /** The key of the object with the servers. */
  readonly key: string;
  entry(start: StartCommand): ClientEntry;
  /** The file for one workspace, if the client has one. */
  readonly inWorkspace?: (workspace: string) => string;
  /** The user's file, for all projects. */
  readonly ofUser: () => string;
  /** The user's file is the default. */
  readonly prefersUser?: boolean;
  /** It starts servers in the directory of the project, so the user's file needs no workspace. */
  readonly startsInDirectory?: true;
  /** What the user does after it was written. */
  readonly next: string;
  /** The same for the user's file, if it differs. */
  readonly nextForUser?: string;
}

const home = (...names: readonly string[]): string => join(homeDirectory(), ...names);

/** Where desktop programs store their settings. */
function settings(...names: readonly string[]): string {
  if (process.platform === "darwin") return home("Library", "Application Support", ...names);
  return xdg(...names);
}

function xdg(...names: readonly string[]): string {
  const directory = process.env.XDG_CONFIG_HOME;
  return join(directory !== undefined && isAbsolute(directory) ? directory : home(".config"), ...names);
}

/** The first that exists, else the first. */
const existing = (...paths: readonly [string, ...string[]]): string =>
  paths.find((path) => existsSync(path)) ?? paths[0];

const plain = ({ command, args }: StartCommand): ClientEntry => ({ command, args });
const typed = ({ command, args }: StartCommand): ClientEntry => ({ type: "stdio", command, args });

export const CLIENTS: Readonly<Record<ClientName, Client>> = {
  "claude-code": {
    title: "Claude Code",
    format: "json",
    key: "mcpServers",
    entry: typed,
    inWorkspace: (workspace) => join(workspace, ".mcp.json"),
    ofUser: () => home(".claude.json"),
    startsInDirectory: true,
    next: "Start `claude` in the project and approve the server; `/mcp` or `claude mcp list` shows it.",
    nextForUser: "Start `claude` again; `/mcp` or `claude mcp list` shows it.",
  },
  "claude-desktop": {
    title: "Claude Desktop",
    format: "json",
    key: "mcpServers",
    entry: plain,
    ofUser: () => settings("Claude", "claude_desktop_config.json"),
    next: "Quit Claude Desktop completely and start it again.",
  },
  codex: {
    title: "Codex CLI",
    format: "toml",
    key: "mcp_servers",
    entry: plain,
    // Codex reads a workspace's file only if the workspace is trusted.
    inWorkspace: (workspace) => join(workspace, ".codex", "config.toml"),
    ofUser: () => join(process.env.CODEX_HOME || home(".codex"), "config.toml"),
    prefersUser: true,
    startsInDirectory: true,
    next: "Start `codex` again; `/mcp` shows it.",
  },
  cursor: {
    title: "Cursor",
    format: "json",
    key: "mcpServers",
    entry: typed,
    inWorkspace: (workspace) => join(workspace, ".cursor", "mcp.json"),
    ofUser: () => home(".cursor", "mcp.json"),
    next: "Open Settings, MCP in Cursor and switch the server on.",
  },
  "gemini-cli": {
    title: "Gemini CLI",
    format: "json",
    key: "mcpServers",
    entry: plain,
    inWorkspace: (workspace) => join(workspace, ".gemini", "settings.json"),
    ofUser: () => home(".gemini", "settings.json"),
    startsInDirectory: true,
    next: "Start `gemini` in the project and trust the directory when asked; otherwise its servers are disabled. `/mcp` or `gemini mcp list` shows it.",
    nextForUser:
      "Start `gemini` again; its servers are disabled in directories that it does not trust. `/mcp` or `gemini mcp list` shows it.",
  },
  opencode: {
    title: "opencode",
    format: "json",
    key: "mcp",
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
    inWorkspace: (workspace) => existing(join(workspace, "opencode.json"), join(workspace, "opencode.jsonc")),
    ofUser: () => existing(xdg("opencode", "opencode.json"), xdg("opencode", "opencode.jsonc")),
    startsInDirectory: true,
    next: "Start `opencode` in the project; `opencode mcp list` shows it.",
    nextForUser: "Start `opencode` again; `opencode mcp list` shows it.",
  },
  vscode: {
    title: "VS Code",
    format: "json",
    key: "servers",
    entry: typed,
    inWorkspace: (workspace) => join(workspace, ".vscode", "mcp.json"),
    ofUser: () => settings("Code", "User", "mcp.json"),
    next: "Run MCP: List Servers in VS Code and start the server.",
  },
  windsurf: {
    title: "Windsurf",
    format: "json",
    key: "mcpServers",
    entry: plain,
    ofUser: () => home(".codeium", "windsurf", "mcp_config.json"),
    next: "Refresh the servers in Windsurf's Cascade panel.",
  },
  zed: {
    title: "Zed",
    format: "json",
    key: "context_servers",
    // Versions of 2025 need "source"; later ones ignore it.
    entry: (start) => ({ source: "custom", ...plain(start) }),
    ofUser: () => xdg("zed", "settings.json"),
    next: "Look at the server in the settings of Zed's agent panel.",
  },
};

/** Keys of HTTP entries, which would contradict a stdio entry of the same name. */
export const OTHER_TRANSPORT: readonly string[] = ["url", "serverUrl", "httpUrl", "headers", "bearer_token_env_var"];

export interface ClientPlace {
  readonly file: string;
  readonly isForWorkspace: boolean;
}

export function clientPlaceOf(client: Client, workspace: string, isUserWide: boolean): ClientPlace {
  const { inWorkspace } = client;
  if (inWorkspace === undefined || isUserWide) return { file: client.ofUser(), isForWorkspace: false };
  if (client.prefersUser === true) return { file: client.ofUser(), isForWorkspace: false };
  return { file: inWorkspace(workspace), isForWorkspace: true };
}
