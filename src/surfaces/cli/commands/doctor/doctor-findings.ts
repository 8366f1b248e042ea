/** Everything that `haft doctor` checks. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { inspectHost } from "../../../../toolkit/index.js";
import { type ConfigOptions, type LoadedConfig, stateDirOf } from "../../configuration.js";
import { clientFindings, configFindings, configOrProblem, serverFindings } from "./config-findings.js";
import type { DoctorFinding } from "./finding.js";
import { machineFindings } from "./machine-findings.js";
import { stateFindings } from "./state-findings.js";
import { storeFindings } from "./store-findings.js";
import { targetFindings } from "./target-findings.js";
import { webFindings } from "./web-findings.js";

export interface DoctorOptions extends ConfigOptions {
  readonly state?: string;
  readonly store?: string;
  readonly on: readonly string[];
}

/** In groups, each as soon as it is known: a target may take long to answer. `onOpening`: called before targets are opened. */
export async function* doctorFindings(
  options: DoctorOptions,
  onOpening: () => void,
): AsyncGenerator<readonly DoctorFinding[]> {
  const loaded = await configOrProblem(options);
  const isLoaded = "settled" in loaded;
  const host = await hostFindings(options, isLoaded ? loaded : undefined);
  const store = isLoaded ? await storeFindings(options.store, loaded.settled) : [];
  const directory = resolve(options.workspace ?? ".");
  const ofConfig = isLoaded ? [...configFindings(loaded, options), ...webFindings(loaded)] : [loaded];
  yield [...machineFindings(host), ...stateFindings(host, store.length > 0), ...store, ...ofConfig];
  if (isLoaded) {
    onOpening();
    yield await targetFindings(loaded, options);
    yield await serverFindings(loaded, directory);
  }
  yield clientFindings(directory);
}

async function hostFindings(options: DoctorOptions, loaded: LoadedConfig | undefined): ReturnType<typeof inspectHost> {
  const stateDir = options.state === undefined ? loaded?.settled.stateDir : stateDirOf(options.state);
  const at = stateDir === undefined ? {} : { stateDir };
  const { statePath, ...rest } = await inspectHost({ ...at, tryLock: false });
  // Taking a lock would create the directory.
  return existsSync(statePath) ? inspectHost({ ...at, tryLock: true }) : { statePath, ...rest };
}
