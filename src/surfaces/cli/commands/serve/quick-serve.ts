/**
 * Parses `haft serve --stdio` without commander, whose load is a twentieth of a start that a client waits for. Anything unusual is
 * left to commander, which reports errors.
 */
import { parseArgs } from "node:util";
import { DIRECTORY_OPTIONS } from "../../usage.js";
import type { ServeOptions } from "./run-serve.js";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
/** Every option of the command that can be combined with `--stdio`. */
const OPTIONS = {
  stdio: flag,
  workspace: text,
  config: text,
  "no-config": flag,
  "no-schedules": flag,
  dialect: text,
  on: { ...text, multiple: true, default: [] as string[] },
  state: text,
  store: text,
  env: { ...text, multiple: true, default: [] as string[] },
  autonomy: text,
  allow: { ...text, multiple: true, default: [] as string[] },
  gate: text,
  collection: { ...text, default: "all" },
} as const;

/** The options of a plain `serve --stdio`; undefined for every other command line. */
export function quickServe(args: readonly string[]): ServeOptions | undefined {
  if (args[0] !== "serve" || !args.includes("--stdio")) return undefined;
  try {
    const { values } = parseArgs({ args: args.slice(1), options: OPTIONS });
    const { "no-config": withoutConfig, "no-schedules": withoutSchedules, config, ...others } = values;
    if (withoutConfig && config !== undefined) return undefined;
    if (DIRECTORY_OPTIONS.some((name) => values[name] === "")) return undefined;
    const chosen = withoutConfig ? { config: false as const } : config === undefined ? {} : { config };
    return { ...others, ...chosen, schedules: withoutSchedules !== true };
  } catch {
    return undefined;
  }
}
