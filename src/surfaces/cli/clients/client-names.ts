/** The MCP clients that `haft connect` knows, as they are typed. Apart, because the help of the command names them. */
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
