/** Which clients have a configuration file, and whether it starts Haft. */
import { existsSync } from "node:fs";
import { CLIENT_NAMES, CLIENTS, type Client, type ClientName, clientPlaceOf } from "./clients.js";
import { readClientFile } from "./replace-client-file.js";

export interface ClientState {
  readonly client: ClientName;
  readonly title: string;
  readonly file: string;
  /** `stale`: it starts a program that no longer exists. */
  readonly state: "connected" | "stale" | "not-connected" | "absent" | "unreadable";
}

/**
 * One for each client: the file that starts Haft, else the one that `--write` would write.
 *
 * @param isUserWide - Use the user's file where a client also has one for the workspace.
 */
export function clientStates(workspace: string, server: string, isUserWide = false): readonly ClientState[] {
  return CLIENT_NAMES.map((name) => {
    const client = CLIENTS[name];
    const written = clientPlaceOf(client, workspace, isUserWide).file;
    const others = [client.inWorkspace?.(workspace), client.ofUser()].filter((file) => file !== undefined);
    const states = [...new Set([written, ...others])].map((file) => ({
      client: name,
      title: client.title,
      file,
      state: clientStateOf(client, file, server),
    }));
    return states.find(({ state }) => state === "connected" || state === "stale") ?? states[0]!;
  });
}

/** Searches the text for the server's name as a key, without parsing it. */
export function clientStateOf(client: Client, file: string, server: string): ClientState["state"] {
  let text: string | undefined;
  try {
    text = readClientFile(file);
  } catch {
    return "unreadable";
  }
  if (text === undefined) return "absent";
  const name = server.replace(/[^\w-]/g, "");
  const isNamed =
    client.format === "toml"
      ? new RegExp(`^\\s*\\[${client.key}\\.("?)${name}\\1\\]`, "m").test(text)
      : text.includes(`"${client.key}"`) && new RegExp(`"${name}"\\s*:\\s*\\{`).test(text);
  if (!isNamed) return "not-connected";
  return programsIn(text).every((path) => existsSync(path)) ? "connected" : "stale";
}

/** The paths of Haft programs in the text. */
function programsIn(text: string): readonly string[] {
  return [...text.matchAll(/"(\/[^"\n]*\/surfaces\/cli\/main\.js)"/g)].map(([, path]) => path ?? "");
}
