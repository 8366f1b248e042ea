/** `haft connect`: what a client needs to start Haft, printed or written. */
import { resolve } from "node:path";
import pc from "picocolors";
import { messageOf } from "../../../kernel/index.js";
import { escapeControls, nearestNames, showControls } from "../../../text/index.js";
import { CLIENT_NAMES, type ClientName } from "../clients/client-names.js";
import { type ClientState, clientStateOf, clientStates } from "../clients/client-state.js";
import { CLIENTS, type Client, type ClientEntry, type ClientPlace, clientPlaceOf } from "../clients/clients.js";
import { EntryProblem } from "../clients/entry-problem.js";
import { withJsonEntry } from "../clients/json-entry.js";
import { readClientFile, replaceClientFile } from "../clients/replace-client-file.js";
import { tomlTable, withTomlEntry } from "../clients/toml-entry.js";
import { workspaceOf } from "../common-options.js";
import { printJson } from "../json-output.js";
import { shownLines } from "../print-notice.js";
import { stdioServerCommand } from "../server-start-command.js";
import { EXIT, UsageError } from "../usage.js";

export interface ConnectOptions {
  readonly write?: boolean;
  readonly user?: boolean;
  readonly name: string;
  readonly workspace?: string;
  readonly file?: string;
  readonly json?: boolean;
}

/** Prints, or with `--write` writes, and returns the exit status. Without a client it lists those there are. */
export async function connectCommand(client: string | undefined, options: ConnectOptions): Promise<number> {
  if (client === undefined && options.write)
    throw new UsageError(
      `--write takes a client: \`haft connect CLIENT --write\`, with one of ${CLIENT_NAMES.join(", ")}.`,
    );
  if (client === undefined) return listClients(options);
  const chosen = clientNamed(client);
  if (!/^[\w-]{1,64}$/.test(options.name))
    throw new UsageError(`--name takes letters, digits, - and _, not ${JSON.stringify(options.name)}.`);
  const workspace = workspaceOf(options.workspace);
  const place = clientPlaceOf(chosen, workspace, options.user === true);
  const file = options.file === undefined ? place.file : resolve(options.file);
  // One folder in a file for all projects would have the client change that one, whichever is open.
  const isDirectoryOpen = !place.isForWorkspace && chosen.startsInDirectory === true && options.workspace === undefined;
  const entry = chosen.entry(stdioServerCommand(isDirectoryOpen ? undefined : workspace));
  const block = blockOf(chosen, options.name, entry);
  const next = `${whereItWorks(chosen, place, isDirectoryOpen ? undefined : workspace)}${nextOf(chosen, place)}`;
  const connection = { chosen, file, entry, block, next };
  return options.write ? write(connection, options) : print(connection, options);
}

interface ConnectionPlan {
  readonly chosen: Client;
  readonly file: string;
  readonly entry: ClientEntry;
  readonly block: string;
  /** Where the server works, and what the person does next. */
  readonly next: string;
}

/** Said of a file for all projects only: that of one workspace is plain. */
function whereItWorks({ title, startsInDirectory }: Client, place: ClientPlace, workspace: string | undefined): string {
  if (place.isForWorkspace) return "";
  if (workspace === undefined) return `It works in the folder that ${title} is started in.\n`;
  const otherwise = startsInDirectory === true ? "; without --workspace it works where the client is started" : "";
  return `It works in ${workspace}, whatever ${title} has open${otherwise}.\n`;
}

function nextOf({ next, nextForUser }: Client, { isForWorkspace }: ClientPlace): string {
  return isForWorkspace ? next : (nextForUser ?? next);
}

function clientNamed(name: string): Client {
  if ((CLIENT_NAMES as readonly string[]).includes(name)) return CLIENTS[name as ClientName];
  const [nearest] = nearestNames(name, CLIENT_NAMES, 1);
  const hint = nearest === undefined ? "" : ` The nearest is "${nearest}".`;
  throw new UsageError(
    `There is no client "${name}" here.${hint} Take one of ${CLIENT_NAMES.join(", ")}; for another one, \`haft connect claude-desktop\` prints the block that most of them take.`,
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
    `${pc.bold(chosen.title)} reads ${showControls(file)}${state === "absent" ? ", which is not there yet" : ""}.\n` +
      `This belongs into it; \`--write\` puts it there and keeps what else it holds.\n\n${escapeControls(block)}\n\n${shownLines(next)}\n`,
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
  const kept = backup === undefined ? "" : ` The old file is kept as ${showControls(backup)}.`;
  process.stdout.write(
    isChanged
      ? `${pc.green("Wrote")} the server "${options.name}" into ${shown}.${kept}\n${shownLines(next)}\n`
      : `${shown} says so already; nothing was written.\n`,
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
    throw new UsageError(
      `Did not change ${file}: ${messageOf(error)}. Mend it, or put this into it yourself:\n\n${block}`,
    );
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
    (one) => `${pc.bold(one.client.padEnd(width))}  ${WORDS[one.state].padEnd(14)} ${pc.dim(showControls(one.file))}`,
  );
  process.stdout.write(
    `${rows.join("\n")}\n\n\`haft connect CLIENT\` prints what the client needs, \`--write\` writes it.\n`,
  );
  return EXIT.ok;
}

const WORDS: Readonly<Record<ClientState["state"], string>> = {
  connected: "connected",
  stale: "moved away",
  "not-connected": "not connected",
  absent: "no file yet",
  unreadable: "not readable",
};
