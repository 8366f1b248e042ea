/** Which clients have a configuration file here, and whether it names Haft. */
import { existsSync } from "node:fs";
import { CLIENT_NAMES, type ClientName } from "./client-names.js";
import { CLIENTS, type Client, clientPlaceOf } from "./clients.js";
import { readClientFile } from "./replace-client-file.js";

export interface ClientState {
  readonly client: ClientName;
  readonly title: string;
  readonly file: string;
  /** `stale`: it starts a program that is not there any more. */
  readonly state: "connected" | "stale" | "not-connected" | "absent" | "unreadable";
}

/**
 * One for each client: the file that names Haft, else the one that `--write` would write. Writes nothing.
 *
 * @param wantsUser - Whether the person's file is meant where a client has one for the workspace too.
 */
export function clientStates(workspace: string, server: string, wantsUser = false): readonly ClientState[] {
  return CLIENT_NAMES.map((name) => {
    const client = CLIENTS[name];
    const written = clientPlaceOf(client, workspace, wantsUser).file;
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

/** By its text alone: whether the name of the server stands there as a key. A parser would cost more than the answer is worth. */
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

/** What of this text starts Haft, wherever it was installed. */
function programsIn(text: string): readonly string[] {
  return [...text.matchAll(/"(\/[^"\n]*\/surfaces\/cli\/main\.js)"/g)].map(([, path]) => path ?? "");
}
