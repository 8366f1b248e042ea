/** `haft doctor`: what is here, what is missing, and what that costs. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import { inspectHost } from "../../../toolkit/index.js";
import type { ConfigOptions, LoadedConfig } from "../configuration.js";
import { clientFindings, configFindings, configOrProblem, serverFindings } from "../doctor/config-findings.js";
import type { DoctorFinding } from "../doctor/finding.js";
import { machineFindings } from "../doctor/machine-findings.js";
import { stateFindings } from "../doctor/state-findings.js";
import { haftVersion } from "../installed-package.js";
import { printJson } from "../json-output.js";
import { stateDirOf } from "../state-options.js";
import { EXIT } from "../usage.js";

export interface DoctorOptions extends ConfigOptions {
  readonly state?: string;
  readonly json?: boolean;
}

/** Prints the findings and returns the exit status: 1 only when one of them stops Haft from working. */
export async function doctorCommand(options: DoctorOptions): Promise<number> {
  const loaded = await configOrProblem(options);
  const isLoaded = "settled" in loaded;
  const host = await hostFindings(options, isLoaded ? loaded : undefined);
  const findings: readonly DoctorFinding[] = [
    ...machineFindings(host),
    ...stateFindings(host),
    ...(isLoaded ? configFindings(loaded, options) : [loaded]),
    ...(isLoaded ? await serverFindings(loaded, resolve(options.workspace ?? ".")) : []),
    ...clientFindings(resolve(options.workspace ?? ".")),
  ];
  const isWorking = findings.every(({ status }) => status !== "stops");
  const version = haftVersion();
  if (options.json) printJson({ version, isWorking, findings });
  else
    process.stdout.write(
      `${pc.bold(`Haft ${version}`)}\n\n${findings.map(lines).join("\n")}\n\n${verdict(findings)}\n`,
    );
  return isWorking ? EXIT.ok : EXIT.errorResult;
}

async function hostFindings(options: DoctorOptions, loaded: LoadedConfig | undefined): ReturnType<typeof inspectHost> {
  const stateDir = options.state === undefined ? loaded?.settled.stateDir : stateDirOf(options.state);
  const at = stateDir === undefined ? {} : { stateDir };
  const { statePath, ...rest } = await inspectHost({ ...at, tryLock: false });
  // A lock makes the folder, and looking should make nothing.
  return existsSync(statePath) ? inspectHost({ ...at, tryLock: true }) : { statePath, ...rest };
}

const STATUS_SYMBOLS: Readonly<Record<DoctorFinding["status"], (text: string) => string>> = {
  ok: pc.green,
  note: pc.cyan,
  limits: pc.yellow,
  stops: pc.red,
};
const SYMBOL_WIDTH = 6;
const ID_WIDTH = 10;

function lines({ id, status, found, cost, next }: DoctorFinding): string {
  const indent = " ".repeat(SYMBOL_WIDTH + ID_WIDTH + 4);
  const head = `${STATUS_SYMBOLS[status](status.padEnd(SYMBOL_WIDTH))}  ${pc.bold(id.padEnd(ID_WIDTH))}  `;
  const [first = "", ...more] = [found, cost, next]
    .filter((text) => text !== undefined)
    .join("\n")
    .split("\n")
    .map(showControls);
  return [head + first, ...more.map((line) => indent + line)].join("\n");
}

function verdict(findings: readonly DoctorFinding[]): string {
  const count = (status: DoctorFinding["status"]): number => findings.filter((one) => one.status === status).length;
  const [stops, limits] = [count("stops"), count("limits")];
  if (stops > 0) return pc.red(`${stops} of these stop${stops === 1 ? "s" : ""} Haft from working.`);
  if (limits > 0)
    return `All that is needed is here; ${limits} of these limit${limits === 1 ? "s" : ""} what it can do.`;
  return pc.green("All that is needed is here.");
}
