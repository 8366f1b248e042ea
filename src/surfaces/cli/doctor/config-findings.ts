/** Which configuration is in force, where commands would work, and which clients know Haft. */
import { HaftError, messageOf } from "../../../kernel/index.js";
import { clientStates } from "../clients/client-state.js";
import { settledWorkspace } from "../common-options.js";
import { CONFIG_NAME, type ConfigOptions, type LoadedConfig, loadConfig, userConfigPath } from "../configuration.js";
import { serversOf } from "../servers-of.js";
import { UsageError } from "../usage.js";
import type { DoctorFinding } from "./finding.js";

/** The configuration, or the finding that says why there is none. */
export async function configOrProblem(options: ConfigOptions): Promise<LoadedConfig | DoctorFinding> {
  try {
    return await loadConfig(options);
  } catch (error) {
    if (!HaftError.is(error) && !(error instanceof UsageError)) throw error;
    const next = "Mend the file; `--no-config` goes on without any.";
    return { id: "config", status: "stops", found: messageOf(error), cost: "Nothing starts.", next };
  }
}

export function configFindings(loaded: LoadedConfig, options: ConfigOptions): readonly DoctorFinding[] {
  return [layers(loaded), ...ignored(loaded), ...unsetVariables(loaded), workspace(loaded, options)];
}

function layers({ layers: read }: LoadedConfig): DoctorFinding {
  if (read.length > 0) {
    const reported = read.map(({ by, path }) => `${path} (${by === "person" ? "yours" : "the project's"})`);
    return { id: "config", status: "ok", found: `from the lowest to the highest: ${reported.join(", ")}` };
  }
  const found = `no file: neither ${userConfigPath()} nor ${CONFIG_NAME} here`;
  return { id: "config", status: "ok", found, next: "`haft init` writes one to start from." };
}

function ignored({ settled }: LoadedConfig): readonly DoctorFinding[] {
  return settled.ignored.map((line): DoctorFinding => ({ id: "trust", status: "limits", found: line }));
}

function unsetVariables({ settled }: LoadedConfig): readonly DoctorFinding[] {
  const unset = settled.env.filter((name) => process.env[name] === undefined);
  if (unset.length === 0) return [];
  const cost = "Commands do not find them.";
  return [{ id: "env", status: "limits", found: `not set here: ${unset.join(", ")}`, cost }];
}

/** What each server answers; those that are started for this are ended again. */
export async function serverFindings({ settled }: LoadedConfig, directory: string): Promise<readonly DoctorFinding[]> {
  const servers = await serversOf(settled, directory, { onNote: () => {} });
  await servers.tools();
  const states = servers.states();
  await servers.close();
  return states.flatMap(({ name, state, tools, reported }): DoctorFinding[] => {
    const id = "servers";
    const next = `Mend "servers.${name}" in the configuration, or the server.`;
    if (state !== "there")
      return [
        { id, status: "limits", found: `"${name}": ${reported.join("; ")}`, cost: "Its tools are not offered.", next },
      ];
    const found = `"${name}" offers ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
    const left = reported.map((line): DoctorFinding => ({ id, status: "limits", found: `"${name}": ${line}` }));
    return [{ id, status: "ok", found }, ...left];
  });
}

function workspace({ settled }: LoadedConfig, options: ConfigOptions): DoctorFinding {
  try {
    return { id: "workspace", status: "ok", found: settledWorkspace(options.workspace, settled) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { id: "workspace", status: "limits", found: messageOf(error) };
  }
}

export function clientFindings(directory: string): readonly DoctorFinding[] {
  const states = clientStates(directory, "haft");
  const named = (wanted: string): string =>
    states.flatMap(({ title, state }) => (state === wanted ? [title] : [])).join(", ");
  const [connected, others] = [named("connected"), named("not-connected")];
  const reported = [connected && `connected: ${connected}`, others && `found, not connected: ${others}`].filter(
    Boolean,
  );
  const found = reported.join("; ") || "none has a configuration file here";
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
        found: `${title} starts a Haft that is not there any more, says ${file}`,
        next: `\`haft connect ${client} --write\` names this one.`,
      }),
    ),
  ];
}
