/**
 * Joins the runner of a cases directory to the built product, through its public library.
 *
 * A case that gives no word about the read gate runs with the gate off, because the cases state what happens without one, and a case
 * without a level runs in full autonomy.
 */
import { accessSync, chmodSync, constants, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit, denyByDefaultPolicy, nextRuns, providerSchema, zeroclawPolicy } from "../../dist/index.js";

/** The case's name of a tool → the product's name, and its arguments → the product's. */
const TOOLS = {
  ssh: same("bash"),
  read: same("read"),
  write: same("write"),
  edit: same("edit"),
  bash: same("bash"),
  ls: same("ls"),
  grep: { name: "grep", input: grepInput },
  find: same("find"),
  process: same("process"),
  todo_set: same("todo_set"),
  webfetch: same("webfetch"),
  websearch: same("websearch"),
  http_request: same("http_request"),
  memory_store: same("memory_store"),
  memory_recall: same("memory_recall"),
  memory_forget: same("memory_forget"),
  policy: same("bash"),
  approval: same("bash"),
  cron_add: same("cron_add"),
};

/** Words of a case's policy that this build can follow, each with the values that it can follow. */
const POLICY_WORDS = {
  readGate: () => true,
  workspaceOnly: () => true,
  autonomy: () => true,
  approver: (value) => value === "none",
  allowedCommands: () => true,
  forbiddenPaths: () => true,
  ssrf: (value) => value === "default" || value === "allow-loopback",
  allowedDomains: () => true,
  searchEndpoint: () => true,
  resolve: () => true,
  dial: () => true,
};

/**
 * Commands and paths of a case become the lists of that policy. It lists programs, so that "git status" becomes "git", which allows
 * more: what is refused so is refused by the narrower list too.
 */
async function policyOf({ autonomy, workspaceOnly, allowedCommands, forbiddenPaths }, workspace) {
  if (allowedCommands !== undefined || forbiddenPaths !== undefined) {
    const programs = allowedCommands?.map((command) => command.split(" ", 1)[0]);
    return zeroclawPolicy({
      ...(programs === undefined ? {} : { allowedCommands: programs, blockHighRiskCommands: false }),
      ...(forbiddenPaths === undefined ? {} : { forbiddenPaths }),
    });
  }
  if (autonomy !== undefined || !workspaceOnly) return undefined;
  return denyByDefaultPolicy({ roots: [workspace], commands: true });
}

/** The option `web` of a case: what is reached of this machine, and where names and addresses lead. */
function webOf({ ssrf, allowedDomains, searchEndpoint, resolve = {}, dial }) {
  const lookup = async (host) => {
    if (!Object.hasOwn(resolve, host)) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    return [resolve[host]].flat();
  };
  return {
    ...(ssrf === "allow-loopback" ? { privateHosts: ["127.0.0.1", "localhost"] } : {}),
    ...(allowedDomains === undefined ? {} : { allowedHosts: allowedDomains }),
    ...(searchEndpoint === undefined ? {} : { search: { url: searchEndpoint } }),
    ...(Object.keys(resolve).length === 0 ? {} : { lookup }),
    ...(dial === undefined ? {} : { dial: (address) => dial[address] ?? address }),
  };
}

/** Where `scripts/cases.mjs --on` plays the cases: a target, and variables of its client. Absent: on this machine. */
const place = process.env.CASES_PLACE === undefined ? undefined : JSON.parse(process.env.CASES_PLACE);

/** The options that lead to the place. Commands of a sandbox reach the directory outside of the workspace too, as elsewhere. */
function placeOptions(workspace, outside) {
  if (place === undefined) return { workspace };
  Object.assign(process.env, place.env);
  if (place.on.target === "sandbox") return { workspace, on: "sandbox", sandbox: { writable: [outside] } };
  return { on: [{ ...place.on, workspace }] };
}

export async function openSession({ workspace, outside, home, policy }) {
  const own = await policyOf(policy, workspace);
  const open = (on) =>
    createToolkit({
      stateDir: join(home, ".local", "state", "haft"),
      gate: policy.readGate ? "on" : "off",
      autonomy: policy.autonomy ?? "full",
      web: webOf(policy),
      ...(own === undefined ? {} : { policy: own }),
      ...on,
    });
  const toolkit = await open(placeOptions(workspace, outside));
  const { runner } = toolkit.box();
  // The channels to another machine are opened before the case.
  if (place !== undefined) await runner.run({ id: "call-0", name: "bash", input: { command: "true" } });
  let calls = 0;
  return {
    async call(tool, input, { signal }) {
      if (tool === "ssh") return refusalOf(open({ on: `ssh:${input.host}` }));
      const { name, input: translate } = TOOLS[tool];
      const outcome = await runner.run({ id: `call-${++calls}`, name, input: translate(input) }, { signal });
      const text = outcome.content
        .map((block) => (block.kind === "text" ? block.text : JSON.stringify(block.value)))
        .join("\n");
      return { isError: outcome.isError, text, data: { id: outcome.structured?.job?.id } };
    },
    close: () => toolkit.close(),
  };
}

/** Why a toolkit with a target was not made. Where it was, its first call connects. */
async function refusalOf(opened) {
  let toolkit;
  try {
    toolkit = await opened;
    const { isError, output } = await toolkit.box().runner.run({ id: "1", name: "bash", input: { command: "true" } });
    return { isError, text: String(output) };
  } catch (error) {
    return { isError: true, text: error.message };
  } finally {
    await toolkit?.close();
  }
}

/** A schema of another server, for each provider; when a schedule is due, and why an expression is refused. */
export const unit = {
  "next runs": async ({ expr, tz, from, count }) => {
    const found = await nextRuns({ schedule: expr, tz }, { fromMs: Date.parse(from), count });
    return found.map((ms) => new Date(ms).toISOString().replace(".000Z", "Z"));
  },
  validate: async ({ exprs }) => {
    const refusalOf = (expr) =>
      nextRuns({ schedule: expr }, { fromMs: Date.now() }).then(String, (error) => error.message);
    return Object.fromEntries(await Promise.all(exprs.map(async (expr) => [expr, await refusalOf(expr)])));
  },
  sanitise: ({ schema }) => {
    const providers = ["openai-strict", "openai", "anthropic", "google", "google-json-schema"];
    return Object.fromEntries(providers.map((provider) => [provider, providerSchema(schema, provider)]));
  },
};

/** True, or why this build cannot play the case. */
export function supports(item) {
  if (item.kind === "unit" && item.input.unit in unit) return true;
  const steps = Array.isArray(item.input) ? item.input : [item];
  const missing = steps.map((step) => step.tool).find((tool) => tool !== undefined && !(tool in TOOLS));
  if (missing !== undefined) return `this build has no tool "${missing}"`;
  for (const [word, value] of Object.entries(item.policy ?? {})) {
    if (!POLICY_WORDS[word]?.(value)) return `this build has no policy for ${word}: ${JSON.stringify(value)}`;
  }
  if (item.needs === "non-root") return modesBind() || "permissions do not bind this user";
  return item.needs === undefined ? true : `needs ${item.needs}`;
}

function same(name) {
  return { name, input: (input) => input };
}

/** The cases write flags as letters; the product has a parameter for each that changes what is found. */
function grepInput({ flags = "", ...input }) {
  return {
    ...input,
    ...(flags.includes("i") ? { ignoreCase: true } : {}),
    ...(flags.includes("m") || flags.includes("s") ? { multiline: true } : {}),
  };
}

/** Whether a folder without permissions keeps this process out: not so for root with all its capabilities. */
function modesBind() {
  const folder = mkdtempSync(join(tmpdir(), "modes-"));
  try {
    chmodSync(folder, 0o000);
    accessSync(folder, constants.R_OK);
    return false;
  } catch {
    return true;
  } finally {
    rmdirSync(folder);
  }
}
