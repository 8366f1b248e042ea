/**
 * Parses `haft serve --stdio` without commander, whose load is a twentieth of a start that a client waits for. Anything unusual is
 * left to commander, which reports errors.
 */
import { parseArgs } from "node:util";
import type { Gate } from "../../../../toolkit/index.js";
import type { ServeOptions } from "./run-serve.js";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
/** Every option of the command that can be combined with `--stdio`. */
const OPTIONS = {
  stdio: flag,
  workspace: text,
  config: text,
  "no-config": flag,
  dialect: text,
  on: { ...text, default: "local" },
  state: text,
  env: { ...text, multiple: true, default: [] as string[] },
  autonomy: text,
  gate: text,
  collection: { ...text, default: "all" },
} as const;
const GATES: readonly string[] = ["off", "handle", "write", "on"] satisfies readonly Gate[];

/** The options of a plain `serve --stdio`; undefined for every other command line. */
export function quickServe(args: readonly string[]): ServeOptions | undefined {
  if (args[0] !== "serve" || !args.includes("--stdio")) return undefined;
  try {
    const { values } = parseArgs({ args: args.slice(1), options: OPTIONS });
    const { "no-config": withoutConfig, config, gate, ...others } = values;
    if (withoutConfig && config !== undefined) return undefined;
    if (gate !== undefined && !isGate(gate)) return undefined;
    const chosen = withoutConfig ? { config: false as const } : config === undefined ? {} : { config };
    return { ...others, ...chosen, ...(gate === undefined ? {} : { gate }) };
  } catch {
    return undefined;
  }
}

function isGate(value: string): value is Gate {
  return GATES.includes(value);
}
