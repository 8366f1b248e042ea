/** Checks the configuration, the workspace, configured servers and MCP clients. */
import { HaftError, messageOf } from "../../../../kernel/index.js";
import { secretsIn } from "../../../../policy/index.js";
import { serverSecrets } from "../../../../toolkit/index.js";
import { clientStates } from "../../clients/client-state.js";
import { settledWorkspace } from "../../common-options.js";
import { CONFIG_NAME, type ConfigOptions, type LoadedConfig, loadConfig, userConfigPath } from "../../configuration.js";
import { serversOf } from "../../servers-of.js";
import { UsageError } from "../../usage.js";
import type { DoctorFinding } from "./finding.js";

/** The configuration, or a finding why it cannot be loaded. */
export async function configOrProblem(options: ConfigOptions): Promise<LoadedConfig | DoctorFinding> {
  try {
    return await loadConfig(options);
  } catch (error) {
    if (!HaftError.is(error) && !(error instanceof UsageError)) throw error;
    const next = "Fix the file, or add `--no-config` to run without it.";
    return { id: "config", status: "stops", found: messageOf(error), cost: "No command works.", next };
  }
}

export function configFindings(loaded: LoadedConfig, options: ConfigOptions): readonly DoctorFinding[] {
  return [
    layers(loaded),
    ...ignored(loaded),
    ...unsetVariables(loaded),
    ...shownSecrets(loaded),
    workspace(loaded, options),
  ];
}

function layers({ layers: read }: LoadedConfig): DoctorFinding {
  if (read.length > 0) {
    const reported = read.map(({ by, path }) => `${path} (${by === "user" ? "yours" : "the project's"})`);
    return { id: "config", status: "ok", found: `lowest precedence first: ${reported.join(", ")}` };
  }
  const found = `no file: neither ${userConfigPath()} nor ${CONFIG_NAME} in the workspace`;
  return { id: "config", status: "ok", found, next: "`haft init` writes one to start from." };
}

function ignored({ settled }: LoadedConfig): readonly DoctorFinding[] {
  return settled.ignored.map((line): DoctorFinding => ({ id: "trust", status: "limits", found: line }));
}

function unsetVariables({ settled }: LoadedConfig): readonly DoctorFinding[] {
  const unset = settled.env.filter((name) => process.env[name] === undefined);
  if (unset.length === 0) return [];
  const cost = "Commands run without them.";
  return [{ id: "env", status: "limits", found: `not set: ${unset.join(", ")}`, cost }];
}

/** Variables that are named as secrets, and whose values are shown all the same. */
function shownSecrets({ settled }: LoadedConfig): readonly DoctorFinding[] {
  const lookUp = (name: string) => process.env[name];
  const passed = Object.fromEntries(settled.env.map((name) => [name, lookUp(name) ?? ""]));
  const reported = [...secretsIn(passed).ignored, ...serverSecrets(settled.servers, lookUp).ignored];
  const cost = "A model, the audit log and artifacts may show it.";
  const next = "Use a longer secret.";
  return reported.map((found): DoctorFinding => ({ id: "secrets", status: "limits", found, cost, next }));
}

/** Connects to each server and disconnects again. */
export async function serverFindings({ settled }: LoadedConfig, directory: string): Promise<readonly DoctorFinding[]> {
  const servers = await serversOf(settled, directory, { onNote: () => {} });
  await servers.tools();
  const states = servers.states();
  await servers.close();
  return states.flatMap(({ name, state, tools, reported }): DoctorFinding[] => {
    const id = "servers";
    const next = `Fix "servers.${name}" in the configuration, or the server.`;
    if (state !== "there")
      return [
        { id, status: "limits", found: `"${name}": ${reported.join("; ")}`, cost: "Its tools are not offered.", next },
      ];
    const found = `"${name}" offers ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
    const problems = reported.map((line): DoctorFinding => ({ id, status: "limits", found: `"${name}": ${line}` }));
    return [{ id, status: "ok", found }, ...problems];
  });
}

function workspace({ settled }: LoadedConfig, options: ConfigOptions): DoctorFinding {
  try {
    return { id: "workspace", status: "ok", found: settledWorkspace(options.workspace, settled) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const cost = "Calls fail here on every target, unless an MCP client names a root.";
    return { id: "workspace", status: "limits", found: messageOf(error), cost };
  }
}

export function clientFindings(directory: string): readonly DoctorFinding[] {
  const states = clientStates(directory, "haft");
  const titlesOf = (expected: string): string =>
    states.flatMap(({ title, state }) => (state === expected ? [title] : [])).join(", ");
  const [connected, others] = [titlesOf("connected"), titlesOf("not-connected")];
  const reported = [connected && `connected: ${connected}`, others && `not connected: ${others}`].filter(Boolean);
  const found = reported.join("; ") || "no client has a configuration file";
  const next = "`haft connect` lists the clients, `haft connect CLIENT --write` connects one.";
  const stale = states.filter(({ state }) => state === "stale");
  return [
    connected === "" && stale.length === 0
      ? { id: "clients", status: "note", found, next }
      : { id: "clients", status: "ok", found },
    ...stale.map(
      ({ client, title, file }): DoctorFinding => ({
        id: "clients",
        status: "limits",
        found: `${file} has ${title} start a Haft that no longer exists`,
        next: `\`haft connect ${client} --write\` updates it.`,
      }),
    ),
  ];
}
