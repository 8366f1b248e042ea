/** Prints or writes what an MCP client needs to start Haft. */
import { resolve } from "node:path";
import pc from "picocolors";
import { messageOf } from "../../../../kernel/index.js";
import { escapeControls, nearestNames, showControls } from "../../../../text/index.js";
import { type ClientState, clientStateOf, clientStates } from "../../clients/client-state.js";
import {
  CLIENT_NAMES,
  CLIENTS,
  type Client,
  type ClientEntry,
  type ClientName,
  type ClientPlace,
  clientPlaceOf,
  EntryProblem,
} from "../../clients/clients.js";
import { withJsonEntry } from "../../clients/json-entry.js";
import { readClientFile, replaceClientFile } from "../../clients/replace-client-file.js";
import { tomlTable, withTomlEntry } from "../../clients/toml-entry.js";
import { requireTargets, stdioServerCommand, workspaceOf } from "../../common-options.js";
import { loadConfig } from "../../configuration.js";
import { printJson, shownLines } from "../../output.js";
import { EXIT, UsageError } from "../../usage.js";

export interface ConnectOptions {
  readonly write?: boolean;
  readonly user?: boolean;
  readonly name: string;
  readonly workspace?: string;
  readonly file?: string;
  readonly json?: boolean;
  /** Targets that the client's server is started with. Empty: as the configuration says. */
  readonly on: readonly string[];
}

/** Without a client it lists the clients. Returns the exit status. */
export async function connectCommand(client: string | undefined, options: ConnectOptions): Promise<number> {
  if (client === undefined && options.write)
    throw new UsageError(
      `--write needs a client: \`haft connect CLIENT --write\`, where CLIENT is one of ${CLIENT_NAMES.join(", ")}.`,
    );
  if (client === undefined) return listClients(options);
  const chosen = clientNamed(client);
  if (!/^[\w-]{1,64}$/.test(options.name))
    throw new UsageError(`--name must be 1 to 64 letters, digits, - or _, not ${JSON.stringify(options.name)}.`);
  const workspace = workspaceOf(options.workspace);
  const names = options.on.length > 0 ? requireTargets(options.on, await loadConfig({ workspace })) : [];
  const place = clientPlaceOf(chosen, workspace, options.user === true);
  const file = options.file === undefined ? place.file : resolve(options.file);
  // A fixed directory in a file for all projects would be used whichever project is open.
  const followsClient = !place.isForWorkspace && chosen.startsInDirectory === true && options.workspace === undefined;
  const entry = chosen.entry(stdioServerCommand(followsClient ? undefined : workspace, { on: options.on }));
  const block = blockOf(chosen, options.name, entry);
  const where = `${whereCallsRun(options.on, names)}${whereItWorks(chosen, place, followsClient ? undefined : workspace)}`;
  const next = `${where}${nextOf(chosen, place)}`;
  const connection = { chosen, file, entry, block, next };
  return options.write ? write(connection, options) : print(connection, options);
}

interface ConnectionPlan {
  readonly chosen: Client;
  readonly file: string;
  readonly entry: ClientEntry;
  readonly block: string;
  /** Where the server works, and what the user does next. */
  readonly next: string;
}

function whereCallsRun(on: readonly string[], names: readonly string[]): string {
  const shown = on[0]?.startsWith("+tmux") ? names : on;
  return shown.length === 0 ? "" : `Calls run on ${shown.join(", ")}.\n`;
}

/** Printed for a file for all projects only: for a workspace's file it is obvious. */
function whereItWorks({ title, startsInDirectory }: Client, place: ClientPlace, workspace: string | undefined): string {
  if (place.isForWorkspace) return "";
  if (workspace === undefined) return `Its working directory is the one that ${title} is started in.\n`;
  const otherwise =
    startsInDirectory === true ? "; without --workspace it is the directory that the client is started in" : "";
  return `Its working directory is always ${workspace}, whichever project ${title} has open${otherwise}.\n`;
}

function nextOf({ next, nextForUser }: Client, { isForWorkspace }: ClientPlace): string {
  return isForWorkspace ? next : (nextForUser ?? next);
}

function clientNamed(name: string): Client {
  if ((CLIENT_NAMES as readonly string[]).includes(name)) return CLIENTS[name as ClientName];
  const [nearest] = nearestNames(name, CLIENT_NAMES, 1);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new UsageError(
    `There is no client "${name}".${hint} The clients are ${CLIENT_NAMES.join(", ")}. For others, \`haft connect claude-desktop\` prints JSON that most of them accept.`,
  );
}

function blockOf({ format, key }: Client, name: string, entry: ClientEntry): string {
  return format === "toml" ? tomlTable(key, name, entry) : JSON.stringify({ [key]: { [name]: entry } }, null, 2);
}

function print({ chosen, file, entry, block, next }: ConnectionPlan, options: ConnectOptions): number {
  const state = clientStateOf(chosen, file, options.name);
  if (options.json) {
    printJson({ client: chosen.title, file, state, key: chosen.key, entry, text: block });
    return EXIT.ok;
  }
  process.stdout.write(
    `${pc.bold(chosen.title)} reads ${showControls(file)}${state === "absent" ? ", which does not exist yet" : ""}.\n` +
      `Add this to the file, or pass \`--write\`; everything else in it is preserved.\n\n${escapeControls(block)}\n\n${shownLines(next)}\n`,
  );
  return EXIT.ok;
}

async function write({ chosen, file, entry, block, next }: ConnectionPlan, options: ConnectOptions): Promise<number> {
  const before = attempt(() => readClientFile(file));
  const change = chosen.format === "toml" ? withTomlEntry : withJsonEntry;
  const text = await change(before ?? "", chosen.key, options.name, entry).catch(refuse);
  const isChanged = text !== before;
  const backup = isChanged
    ? attempt(() => replaceClientFile(file, text.endsWith("\n") || before !== undefined ? text : `${text}\n`, before))
    : undefined;
  if (options.json) {
    printJson({ client: chosen.title, file, isChanged, backup: backup ?? null });
    return EXIT.ok;
  }
  const shown = showControls(file);
  const kept = backup === undefined ? "" : ` The old file is now ${showControls(backup)}.`;
  process.stdout.write(
    isChanged
      ? `${pc.green("Wrote")} the server "${options.name}" to ${shown}.${kept}\n${shownLines(next)}\n`
      : `${shown} is already up to date; nothing was written.\n`,
  );
  return EXIT.ok;

  function attempt<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      return refuse(error);
    }
  }

  function refuse(error: unknown): never {
    const isSystem = (error as NodeJS.ErrnoException).code !== undefined;
    if (!(error instanceof EntryProblem) && !isSystem) throw error;
    throw new UsageError(`Did not change ${file}: ${messageOf(error)}. Fix it, or add this yourself:\n\n${block}`);
  }
}

function listClients(options: ConnectOptions): number {
  const states = clientStates(resolve(options.workspace ?? "."), options.name, options.user === true);
  if (options.json) {
    printJson(states);
    return EXIT.ok;
  }
  const width = Math.max(...CLIENT_NAMES.map((name) => name.length));
  const rows = states.map(
    (one) =>
      `${pc.bold(one.client.padEnd(width))}  ${STATE_TEXTS[one.state].padEnd(14)} ${pc.dim(showControls(one.file))}`,
  );
  process.stdout.write(
    `${rows.join("\n")}\n\n\`haft connect CLIENT\` prints what the client needs; add \`--write\` to write it.\n`,
  );
  return EXIT.ok;
}

const STATE_TEXTS: Readonly<Record<ClientState["state"], string>> = {
  connected: "connected",
  stale: "outdated",
  "not-connected": "not connected",
  absent: "no file",
  unreadable: "unreadable",
};
