/** `haft serve`: the tools for an MCP client. */
import { dirname } from "node:path";
import { messageOf } from "../../../kernel/index.js";
import {
  builtinRegistry,
  type ConfiguredServers,
  clientTokens,
  createToolkit,
  dialectNamed,
  stateDirectoryProblem,
} from "../../../toolkit/index.js";
import { newToken, serveMcpHttp, serveMcpStdio } from "../../mcp/index.js";
import { rootFrom } from "../client-root.js";
import { type CommonOptions, type Settings, settingsOf, settledWorkspace, workspaceOf } from "../common-options.js";
import { haftVersion } from "../installed-package.js";
import { printUntrustedNotice } from "../print-notice.js";
import { servedCalls } from "../served-calls.js";
import { stdioServerCommand } from "../server-start-command.js";
import { serversOf, withServers } from "../servers-of.js";
import { toolsOf } from "../tools-of.js";
import { EXIT, UsageError } from "../usage.js";

/** A command that runs longer goes on as a job: clients give up a call after a minute, and few wait longer where they see progress. */
const AUTO_BACKGROUND_MS = 45_000;

export interface ServeOptions extends CommonOptions {
  readonly stdio?: boolean;
  readonly port?: string;
  readonly once?: boolean;
  readonly collection: string;
}

/** The collection that holds the tools of other servers too. */
const EVERY_TOOL = "all";
/** Milliseconds after the start at which the operator of a server over standard input and output is told what is amiss. */
const REPORT_DELAY_MS = 500;
/** Milliseconds that the end of a server waits for what its calls started. */
const SHUTDOWN_TIMEOUT_MS = 15_000;

/** Serves until the client or a signal ends it, and returns the exit status. */
export async function serveCommand(options: ServeOptions): Promise<number> {
  if (options.stdio && (options.port !== undefined || options.once))
    throw new UsageError("--stdio goes without --port and --once: it has no port, and its client starts and ends it.");
  const settings = await settingsOf(options);
  const dialect = await dialectNamed(settings.dialect);
  const { gate, toolSettings } = settings.toolkit;
  const registry = builtinRegistry(dialect, {
    ...(gate === undefined ? {} : { gate }),
    ...(toolSettings === undefined ? {} : { tools: toolSettings }),
  });
  const tools = toolsOf(registry, options.collection);
  const hasServers = options.collection === EVERY_TOOL && Object.keys(settings.config.servers).length > 0;
  const tellers: (() => void)[] = [];
  const servers = await serversOf(settings.config, directoryOf(options, settings), {
    isNeeded: () => hasServers,
    onChange: () => tellers.forEach((notifyClients) => void notifyClients()),
  });
  const onProblem = (error: Error) => printUntrustedNotice(error.message);
  const onMoreChange = (notifyClients: () => void) => void tellers.push(notifyClients);
  const more = hasServers ? { more: servers.tools, onMoreChange } : {};
  const { facts = false } = settings.config.serve;
  const server = { version: haftVersion(), tools, ...more, facts, onProblem };
  const serve = options.stdio ? serveOverStdio : serveOverHttp;
  return withServers(servers, () => serve(options, settings, server, servers));
}

type Served = Omit<Parameters<typeof serveMcpHttp>[0], "calls" | "token" | "port" | "host">;

/** Where the programs of other servers start: a client over stdio tells its own folder only later. */
function directoryOf(options: ServeOptions, settings: Settings): string {
  const isGiven = options.stdio === true && options.workspace === undefined;
  return isGiven ? process.cwd() : settledWorkspace(options.workspace, settings.config);
}

async function serveOverStdio(
  options: ServeOptions,
  settings: Settings,
  server: Served,
  servers: ConfiguredServers,
): Promise<number> {
  // A client waits for the start, nobody for this.
  setTimeout(() => void reportUnstored(settings), REPORT_DELAY_MS).unref();
  // A client often starts its servers in a folder of its own: then its roots tell where to work, at the first call.
  const isGiven = options.workspace !== undefined;
  let setting = settings.config.tools;
  const given = isGiven ? workspaceOf(options.workspace) : undefined;
  const calls = servedCalls({
    collection: options.collection,
    needsRoots: !isGiven,
    onNote: printUntrustedNotice,
    foreignTool: (name) => (setting[name] === false ? undefined : servers.named(name)),
    open: async (reported) => {
      const root = given ?? (reported === undefined ? undefined : rootFrom(reported));
      if (root === undefined || root === given) {
        setting = settings.config.tools;
        return createToolkit({
          ...settings.toolkit,
          tools: await servers.tools(),
          yieldMs: AUTO_BACKGROUND_MS,
          workspace: root ?? settledWorkspace(undefined, settings.config),
        });
      }
      // The folder is known only now, and its own file holds from here on; the names of the tools were told before.
      const { dialect, config } = settings;
      const there = await settingsOf({ ...options, workspace: root, dialect, gateFloor: config.gateFloor });
      setting = there.config.tools;
      const tools = (await servers.tools()).filter(({ name }) => setting[name] !== false);
      return createToolkit({ ...there.toolkit, tools, yieldMs: AUTO_BACKGROUND_MS, workspace: root });
    },
  });
  if (process.stdin.isTTY)
    printUntrustedNotice(
      "waits for an MCP client on standard input; Ctrl+C ends it. `haft connect` has a client start it itself.",
    );
  await serveMcpStdio({ ...server, calls, signal: untilSignalled() });
  await beforeTimeout(closed(calls, servers));
  // Standard input may still be held open by another process; nothing of ours waits for it.
  process.exit(EXIT.ok);
}

async function serveOverHttp(
  options: ServeOptions,
  settings: Settings,
  server: Served,
  servers: ConfiguredServers,
): Promise<number> {
  const { stateDir } = settings.toolkit;
  const tokens = await clientTokens(stateDir === undefined ? {} : { stateDir });
  await reportUnstored(settings);
  const workspace = settledWorkspace(options.workspace, settings.config);
  const calls = servedCalls({
    collection: options.collection,
    needsRoots: false,
    onNote: printUntrustedNotice,
    foreignTool: servers.named,
    open: async () =>
      createToolkit({ ...settings.toolkit, tools: await servers.tools(), yieldMs: AUTO_BACKGROUND_MS, workspace }),
  });
  const token = newToken();
  const { port = 0, host } = settings.config.serve;
  const at = { port: portOf(options.port) ?? port, ...(host === undefined ? {} : { host }) };
  const service = await serveMcpHttp({ ...server, calls, token, clientNamed: tokens.holderOf, ...at });
  if (at.port !== 0 && service.port !== at.port)
    printUntrustedNotice(`port ${at.port} is in use; took ${service.port} instead.`);
  const offered = [...server.tools, ...(await servers.tools())];
  const about = {
    url: service.url,
    token,
    workspace,
    tools: offered.map((tool) => tool.name),
    start: stdioServerCommand(workspace, { ...stateOfEnvironment(settings), ...options }),
  };
  reportUnreadConfig(settings, workspace);
  // Before anybody can read where it listens: a signal that comes at once is heard too.
  const stop = untilSignalled();
  const { connectText } = await import("../connect-text.js");
  process.stdout.write(connectText(about, options.once === true));
  if (!options.once) await signalled(stop);
  await service.close();
  await beforeTimeout(closed(calls, servers));
  return EXIT.ok;
}

/** A client does not start the server with the variables of this terminal. */
function stateOfEnvironment({ config }: Settings): Pick<ServeOptions, "state"> {
  const { HAFT_STATE: state = "" } = process.env;
  return config.stateDir !== undefined || state === "" ? {} : { state };
}

/** `--workspace` has the server read the file in that directory, and no option names a project's file without trusting it. */
function reportUnreadConfig({ projectFile }: Settings, workspace: string): void {
  if (projectFile === undefined || dirname(projectFile) === workspace) return;
  printUntrustedNotice(
    `a client that starts the server itself, in "${workspace}", does not read ${projectFile}; put the file there too, or add \`--config FILE\` if you trust all of it.`,
  );
}

async function reportUnstored({ toolkit: { stateDir } }: Settings): Promise<void> {
  const problem = await stateDirectoryProblem(stateDir === undefined ? {} : { stateDir });
  if (problem !== undefined) printUntrustedNotice(problem);
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not "${text}". Leave it out for a free port.`);
}

function untilSignalled(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

function signalled(signal: AbortSignal): Promise<void> {
  // A listener on a signal does not keep the process alive, but the listening server does.
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Both at once, so that neither waits for the other. What goes wrong is told: the end comes all the same. */
async function closed(
  ...parts: readonly Pick<ConfiguredServers, "close">[]
): Promise<{ readonly left: readonly string[] }> {
  const ends = parts.map((part) =>
    part.close().catch((error: unknown) => {
      printUntrustedNotice(`the end was not clean: ${messageOf(error)}`);
      return { left: [] };
    }),
  );
  return { left: (await Promise.all(ends)).flatMap((one) => one.left) };
}

async function beforeTimeout(work: Promise<{ readonly left: readonly string[] }>): Promise<void> {
  const late = new Promise<{ readonly left: readonly string[] }>((resolve) => {
    setTimeout(() => resolve({ left: ["what did not end in time"] }), SHUTDOWN_TIMEOUT_MS).unref();
  });
  const { left } = await Promise.race([work, late]);
  for (const one of left) printUntrustedNotice(`could not end ${one}`);
}
