/** Serves the tools to MCP clients. */
import { dirname } from "node:path";
import { type Autonomy, DEFAULT_AUTONOMY, HaftError, messageOf, whyUnopened } from "../../../../kernel/index.js";
import { shellWord } from "../../../../text/index.js";
import {
  builtinRegistry,
  type ChosenTarget,
  type ConfiguredServers,
  clientTokens,
  createToolkit,
  dialectNamed,
  hasDatabase,
  hasPassword,
  hasSharedWorkspace,
  hasTerminal,
  nameOf,
  stateDirectoryProblem,
  storeProblem,
  type ToolkitOptions,
} from "../../../../toolkit/index.js";
import { haftVersion } from "../../../installed-package.js";
import { newToken, serveMcpHttp, serveMcpStdio } from "../../../mcp/index.js";
import {
  type CommonOptions,
  type Settings,
  settingsOf,
  settledWorkspace,
  stdioServerCommand,
  toolsOf,
  workspaceOf,
} from "../../common-options.js";
import { printNotice, printUntrustedNotice } from "../../output.js";
import { serversOf, withServers } from "../../servers-of.js";
import { targetInstructions } from "../../target-instructions.js";
import { placeOf, workspaceFor } from "../../target-places.js";
import { EXIT, UsageError } from "../../usage.js";
import { printWebNotices } from "../../web-settings.js";
import { servesSchedule } from "../schedule/schedules-line.js";
import { rootFrom } from "./client-root.js";
import { servedSchedules, withSchedules } from "./serve-schedules.js";
import { type ServedCalls, servedCalls } from "./served-calls.js";

/** A command that runs longer continues as a job: most clients time out a call after a minute. */
const AUTO_BACKGROUND_MS = 45_000;

export interface ServeOptions extends CommonOptions {
  readonly stdio?: boolean;
  readonly port?: string;
  readonly once?: boolean;
  /** Default true. */
  readonly schedules?: boolean;
  readonly collection: string;
}

/** The collection that includes the tools of other servers. */
const EVERY_TOOL = "all";
/** Over stdio, problems of the state directory are checked and reported only then, so that the start is fast. */
const REPORT_DELAY_MS = 500;
/** How long a shutdown waits for the processes of its calls. */
const SHUTDOWN_TIMEOUT_MS = 15_000;

/** Serves until the client disconnects or a signal arrives. Returns the exit status. */
export async function serveCommand(options: ServeOptions): Promise<number> {
  if (options.stdio && (options.port !== undefined || options.once))
    throw new UsageError(
      "--stdio cannot be combined with --port or --once: it uses no port, and the client starts and stops it.",
    );
  const settings = await settingsOf(options);
  printWebNotices(settings.webNotices);
  const dialect = await dialectNamed(settings.dialect);
  const { gate, toolSettings } = settings.toolkit;
  const hasState = await hasDatabase(settings.toolkit);
  const registry = builtinRegistry(dialect, {
    ...(gate === undefined ? {} : { gate }),
    ...(toolSettings === undefined ? {} : { tools: toolSettings }),
    severalTargets: settings.targets.length > 1,
    terminal: settings.targets.some((one) => hasTerminal(one)),
    memories: hasState,
    schedules: hasState,
  });
  const tools = toolsOf(registry, options.collection);
  const hasServers = options.collection === EVERY_TOOL && Object.keys(settings.config.servers).length > 0;
  const listeners: (() => void)[] = [];
  const servers = await serversOf(settings.config, directoryOf(options, settings), {
    isNeeded: () => hasServers,
    onChange: () => listeners.forEach((notifyClients) => void notifyClients()),
  });
  const onProblem = (error: Error) => printUntrustedNotice(error.message);
  const onMoreChange = (notifyClients: () => void) => void listeners.push(notifyClients);
  const more = hasServers ? { more: servers.tools, onMoreChange } : {};
  const { facts = false } = settings.config.serve;
  const targets = settings.targets.map(nameOf);
  const about = targetInstructions(settings.targets, settings.toolkit);
  const instructions = about === undefined ? {} : { targetInstructions: about };
  const server = { version: haftVersion(), tools, targets, ...instructions, ...more, facts, onProblem };
  const serve = options.stdio ? serveOverStdio : serveOverHttp;
  return withServers(servers, () => serve(options, settings, server, servers));
}

type Served = Omit<Parameters<typeof serveMcpHttp>[0], "calls" | "token" | "port" | "host">;

/** The working directory for the programs of other servers: over stdio the client's roots are not known yet. */
function directoryOf(options: ServeOptions, settings: Settings): string {
  const hasWorkspace = options.stdio === true && options.workspace === undefined;
  return hasWorkspace ? process.cwd() : settledWorkspace(options.workspace, settings.config);
}

async function serveOverStdio(
  options: ServeOptions,
  settings: Settings,
  server: Served,
  servers: ConfiguredServers,
): Promise<number> {
  setTimeout(() => void reportUnstored(settings), REPORT_DELAY_MS).unref();
  // Clients often start servers in an unrelated directory, so without --workspace their roots decide, at the first call.
  const hasWorkspace = options.workspace !== undefined;
  let setting = settings.config.tools;
  const given = hasWorkspace ? workspaceOf(options.workspace) : undefined;
  const open = async (more: ToolkitOptions) => withSchedules(await createToolkit(more), options);
  const calls: ServedCalls = servedCalls({
    collection: options.collection,
    needsRoots: !hasWorkspace,
    onNote: printUntrustedNotice,
    pendingHint: (token) => pendingHint(token, settings),
    foreignTool: (name) => (setting[name] === false ? undefined : servers.named(name)),
    open: async (reported) => {
      const root = given ?? (reported === undefined ? undefined : rootFrom(reported));
      if (root === undefined || root === given) {
        setting = settings.config.tools;
        return open({
          ...settings.toolkit,
          approver: calls.approver,
          tools: await servers.tools(),
          yieldMs: AUTO_BACKGROUND_MS,
          ...workspaceFor(settings.targets, root ?? settledWorkspace(undefined, settings.config)),
        });
      }
      // The directory's own configuration applies from here on, except for the dialect: the tools are already listed.
      const { dialect, config } = settings;
      const there = await settingsOf({ ...options, workspace: root, dialect, gateFloor: config.gateFloor });
      setting = there.config.tools;
      const shown = settings.webNotices.map(({ found }) => found);
      printWebNotices(there.webNotices.filter(({ found }) => !shown.includes(found)));
      const tools = (await servers.tools()).filter(({ name }) => setting[name] !== false);
      const { approver } = calls;
      return open({
        ...there.toolkit,
        approver,
        tools,
        yieldMs: AUTO_BACKGROUND_MS,
        ...workspaceFor(there.targets, root),
      });
    },
  });
  printNotice(approverNotice(settings));
  if (process.stdin.isTTY)
    printUntrustedNotice(
      "waiting for an MCP client on stdin; press Ctrl+C to stop. `haft connect` configures a client to start this server itself.",
    );
  setTimeout(() => void reportSchedules(), REPORT_DELAY_MS).unref();
  const reportSchedules = async () => {
    const line = hasWorkspace ? await schedulesOf(calls, settings, options) : undefined;
    if (line !== undefined) printNotice(line);
  };
  if (hasWorkspace) reportTarget(calls, settings);
  else {
    reportTerminals(settings.targets);
    reportNoWorkspace(settings);
  }
  await serveMcpStdio({ ...server, calls, signal: untilSignalled() });
  await beforeTimeout(closed(calls, servers));
  // Another process may still keep stdin open.
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
  const isShared = settings.toolkit.store !== undefined;
  const calls: ServedCalls = servedCalls({
    collection: options.collection,
    isShared,
    needsRoots: false,
    onNote: printUntrustedNotice,
    pendingHint: (token) => pendingHint(token, settings),
    foreignTool: servers.named,
    open: async () =>
      withSchedules(
        await createToolkit({
          ...settings.toolkit,
          approver: calls.approver,
          tools: await servers.tools(),
          yieldMs: AUTO_BACKGROUND_MS,
          ...workspaceFor(settings.targets, workspace),
        }),
        options.once ? { schedules: false } : options,
      ),
  });
  const token = newToken();
  const { port = 0, host } = settings.config.serve;
  const at = { port: portOf(options.port) ?? port, ...(host === undefined ? {} : { host }) };
  const shared = isShared ? { shared: () => calls.state() } : {};
  const service = await serveMcpHttp({ ...server, ...shared, calls, token, clientNamed: tokens.holderOf, ...at });
  if (at.port !== 0 && service.port !== at.port)
    printUntrustedNotice(`port ${at.port} is in use; using ${service.port} instead.`);
  const offered = [...server.tools, ...(await servers.tools())];
  const about = {
    url: service.url,
    token,
    place: placeOf(settings.targets, workspace),
    autonomy: settings.toolkit.autonomy ?? DEFAULT_AUTONOMY,
    tools: offered.map((tool) => tool.descriptor().name),
    start: stdioServerCommand(workspace, { ...stateOfEnvironment(settings), ...options }),
    schedules: await schedulesOf(calls, settings, options),
  };
  reportUnreadConfig(settings, workspace);
  // Before the address is printed: a client may send a signal at once.
  const stop = untilSignalled();
  const { connectText } = await import("./connect-text.js");
  process.stdout.write(connectText(about, options.once === true));
  if (!options.once) printNotice(approverNotice(settings));
  if (!options.once) reportTarget(calls, settings);
  if (!options.once) await signalled(stop);
  await service.close();
  await beforeTimeout(closed(calls, servers));
  return EXIT.ok;
}

/** Opens the toolkit, so that schedules run before the first call. */
async function schedulesOf(
  calls: ServedCalls,
  { toolkit, targets, config }: Settings,
  options: ServeOptions,
): Promise<string | undefined> {
  if (options.once || options.schedules === false || !(await hasDatabase(toolkit))) return undefined;
  const isServed = servesSchedule(targets, settledWorkspace(options.workspace, config));
  return servedSchedules({ state: await calls.state() }, isServed);
}

/**
 * Opens a default target that can be out of reach, in the background, so that the user learns it before the model does, and says how
 * to watch its terminal.
 */
function reportTarget(calls: ServedCalls, { targets: [first, ...others] }: Settings): void {
  reportTerminals(others);
  if (/^(?:local|memory)$/.test(first.target)) return;
  const open = async () => {
    const { attachCommand, createdSession } = await calls.openTarget();
    if (createdSession !== undefined)
      printUntrustedNotice(`there was no tmux session "${createdSession}": it was created.`);
    if (attachCommand !== undefined)
      printUntrustedNotice(`to watch the terminal of "${nameOf(first)}": ${attachCommand}`);
  };
  void open().catch((error: unknown) => {
    // Without tmux its other tools work.
    if (HaftError.is(error, "BACKEND_UNSUPPORTED")) return printUntrustedNotice(messageOf(error));
    const why = whyUnopened(error, [first.target]);
    printUntrustedNotice(`the target "${nameOf(first)}" could not be opened: ${why} Calls on it fail until it can.`);
  });
}

/** How the terminals of targets can be watched that only a call opens. */
function reportTerminals(targets: readonly ChosenTarget[]): void {
  for (const one of targets.filter((target) => hasTerminal(target)))
    printUntrustedNotice(
      `the terminal of "${nameOf(one)}" starts with its first use; the tool \`panes\` (action "list") then prints how to watch it.`,
    );
}

/** Whether calls can run where the client names no root. The server starts all the same: it may name one. */
function reportNoWorkspace({ targets: [first], config }: Settings): void {
  if (first.workspace !== undefined || !hasSharedWorkspace(first.target, true)) return;
  try {
    settledWorkspace(undefined, config);
  } catch (error) {
    printUntrustedNotice(`calls will fail unless the client names a root: ${messageOf(error)}`);
  }
}

/** Who is asked before a call that needs an approval. */
function approverNotice({ targets, toolkit: { autonomy = DEFAULT_AUTONOMY } }: Settings): string {
  const own = targets.filter((one) => one.autonomy !== undefined && one.autonomy !== autonomy);
  const others = own.map((one) => ` On ${nameOf(one)}: autonomy ${one.autonomy}.`).join("");
  return `${levelNotice(autonomy)}${others}`;
}

function levelNotice(autonomy: Autonomy): string {
  if (autonomy === "full") return "autonomy full: calls run without a question, except those that a rule asks about.";
  if (autonomy === "readonly") return "autonomy readonly: whatever does more than read is refused without a question.";
  return `autonomy ${autonomy}: a call that needs an approval is shown to the user by the client if it can (elicitation); else it waits in \`haft approvals\`.`;
}

function pendingHint(token: string, settings: Settings): string {
  const { stateDir = process.env.HAFT_STATE } = settings.toolkit;
  const state = stateDir === undefined || stateDir === "" ? "" : ` --state ${shellWord(stateDir)}`;
  const isConfigured = settings.config.store !== undefined;
  // The URL would be shown to the model.
  const given = isConfigured ? "" : "; pass `--store` or set HAFT_STORE as for this server";
  const where = settings.toolkit.store === undefined ? "" : ` on any host with the same store${given}`;
  return `The user can allow it with \`haft approvals grant ${token}${state}\`${where}.`;
}

/** A client starts the server without this terminal's environment. */
function stateOfEnvironment({ config }: Settings): Pick<ServeOptions, "state" | "store"> {
  const { HAFT_STATE: state = "", HAFT_STORE: store = "" } = process.env;
  const isPublic = store !== "" && !hasPassword(store);
  if (store !== "" && !isPublic && config.store === undefined)
    printUntrustedNotice(
      "the password in HAFT_STORE is not printed. A client that starts the server itself needs that variable in its own configuration.",
    );
  return {
    ...(config.stateDir !== undefined || state === "" ? {} : { state }),
    ...(config.store !== undefined || !isPublic ? {} : { store }),
  };
}

/** `--workspace` makes the server read that directory's file, and `--config` would trust a project's file. */
function reportUnreadConfig({ projectFile }: Settings, workspace: string): void {
  if (projectFile === undefined || dirname(projectFile) === workspace) return;
  printUntrustedNotice(
    `a client that starts the server itself in "${workspace}" does not read ${projectFile}. Copy the file there, or add \`--config FILE\` if you trust all of it.`,
  );
}

async function reportUnstored({ toolkit: { stateDir, store } }: Settings): Promise<void> {
  const problems = [
    await stateDirectoryProblem(stateDir === undefined ? {} : { stateDir }),
    store === undefined ? undefined : await storeProblem(store),
  ];
  for (const problem of problems) if (problem !== undefined) printUntrustedNotice(problem);
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(
    `--port must be a number from 0 to 65535, not "${text}". Leave the option out for any free port.`,
  );
}

function untilSignalled(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

function signalled(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Closes all parts at once and reports errors. */
async function closed(
  ...parts: readonly Pick<ConfiguredServers, "close">[]
): Promise<{ readonly left: readonly string[] }> {
  const ends = parts.map((part) =>
    part.close().catch((error: unknown) => {
      printUntrustedNotice(`shutdown failed: ${messageOf(error)}`);
      return { left: [] };
    }),
  );
  return { left: (await Promise.all(ends)).flatMap((one) => one.left) };
}

async function beforeTimeout(work: Promise<{ readonly left: readonly string[] }>): Promise<void> {
  const late = new Promise<{ readonly left: readonly string[] }>((resolve) => {
    setTimeout(() => resolve({ left: ["processes that did not exit in time"] }), SHUTDOWN_TIMEOUT_MS).unref();
  });
  const { left } = await Promise.race([work, late]);
  for (const one of left) printUntrustedNotice(`could not kill ${one}`);
}
