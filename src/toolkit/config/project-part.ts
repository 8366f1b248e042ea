/** What a project's own file may decide, and what of it is not followed. */
import { isWithin } from "../../kernel/index.js";
import { resolvePath, shellPath } from "../../text/index.js";
import type { Config, ConfigLayer, ToolSetting, ToolSettings, Trusted, TrustedKey } from "./config.js";
import { TRUSTED_KEYS } from "./config-schema.js";
import { type Gates, gateOf, gatesOfDialect, isLooserGate } from "./dialect-gates.js";
import { narrowingPolicy } from "./policy-config.js";
import { narrowingWeb } from "./web-config.js";

interface ProjectPartOptions {
  readonly home: string;
  /** Where the user's own file is or would be. */
  readonly userConfigPath: string;
  /** What the user's layers say of the tools. */
  readonly tools: ToolSettings;
  /** The dialect of the user's layers. */
  readonly dialect?: string | undefined;
  /** The dialect is settled already: what the project says of it has no effect. */
  readonly isDialectGiven: boolean;
  /** What the user trusts this project with. */
  readonly trusted: readonly Trusted[];
}

interface Refusal {
  readonly key: TrustedKey;
  /** As it is reported: `"tools.bash"`. */
  readonly what: string;
  readonly why: string;
}

const NOT_ALONE = "only your own configuration can set it";
const FEWER_READS = "it asks for fewer reads than you do, so yours holds";

interface ProjectPart {
  readonly config: Config;
  /** The user's gates, where the dialect of the project would ask for fewer reads. */
  readonly gateFloor: Gates;
  readonly ignored: readonly string[];
}

/**
 * The configuration without settings that would widen what the user allows, and one sentence about what was ignored. It is one
 * sentence so that the lines it suggests for the user's file can be copied as they are.
 */
export async function projectPart(
  { config, directory, path, sha256 }: ConfigLayer,
  options: ProjectPartOptions,
): Promise<ProjectPart> {
  const { home, userConfigPath, tools, trusted } = options;
  const refusals: Refusal[] = [];
  const kept: Record<string, unknown> = {};
  const untrusted: string[] = [];
  for (const [key, value] of Object.entries(config)) {
    if (key === "trust") continue;
    if (key === "on" && trusted.includes(key) && !trusted.includes("autonomy")) {
      const part = withoutLevels(config.on ?? []);
      kept[key] = part.on;
      if (part.isChanged) refusals.push({ key: "autonomy", what: '"autonomy" in "on"', why: NOT_ALONE });
    } else if (!isTrustedKey(key) || trusted.includes(key)) kept[key] = value;
    else if (key === "policy" && sha256 !== undefined && trusted.includes(`policy sha256:${sha256}`)) kept[key] = value;
    else if (key === "policy") {
      const { policy, widens } = narrowingPolicy(config.policy ?? {});
      kept[key] = policy;
      if (widens.length > 0) untrusted.push(untrustedPolicy(widens, { path, directory, trusted }));
    } else if (key === "tools") {
      const part = toolsPart(config.tools ?? {}, tools);
      kept[key] = part.tools;
      refusals.push(...part.refusals);
    } else if (key === "web") {
      const { web, widens } = narrowingWeb(config.web ?? {});
      kept[key] = web;
      refusals.push(...widens.map((one): Refusal => ({ key, what: `"web.${one}"`, why: NOT_ALONE })));
    } else if (key === "workspace") {
      if (isWithin(directory, resolvePath(directory, String(value), home))) kept[key] = value;
      else refusals.push({ key, what: `"${key}"`, why: "it is outside the project's directory" });
    } else if (key === "dialect") kept[key] = value;
    else refusals.push({ key, what: `"${key}"`, why: NOT_ALONE });
  }
  const gateFloor = trusted.includes("dialect") ? {} : await floorUnder(kept as Config, options);
  for (const name of Object.keys(gateFloor))
    refusals.push({
      key: "dialect",
      what: `the gate of "${name}" in the dialect "${config.dialect}"`,
      why: FEWER_READS,
    });
  const ignored = [
    ...(config.trust === undefined
      ? []
      : [
          `Ignored "trust" in ${path}: a project does not trust itself. Only your own file, ${userConfigPath}, may hold it.`,
        ]),
    ...untrusted,
    ...(refusals.length === 0 ? [] : [sentence(refusals, { path, directory, userConfigPath })]),
  ];
  return { config: kept as Config, gateFloor, ignored };
}

const MAX_SHOWN = 5;

/** A project's file may deny and ask; what it allows counts once the user has seen it. */
function untrustedPolicy(
  widens: readonly string[],
  {
    path,
    directory,
    trusted,
  }: { readonly path: string; readonly directory: string; readonly trusted: readonly Trusted[] },
): string {
  const shown = widens.slice(0, MAX_SHOWN).map((one) => JSON.stringify(one));
  const more = widens.length > MAX_SHOWN ? ` and ${widens.length - MAX_SHOWN} more` : "";
  const why = trusted.some((one) => one.startsWith("policy sha256:"))
    ? "the file has changed since you trusted it"
    : "a project's file can only narrow what is allowed until you trust it";
  return `Ignored in ${path}: ${shown.join(", ")}${more}: ${why}. To allow it, run: haft policy trust ${shellPath(directory)}`;
}

interface IgnoredSettings {
  readonly path: string;
  readonly directory: string;
  readonly userConfigPath: string;
}

function sentence(refusals: readonly Refusal[], { path, directory, userConfigPath }: IgnoredSettings): string {
  const reasons = [...new Set(refusals.map(({ why }) => why))].map((why) => {
    const what = refusals.filter((one) => one.why === why).map((one) => one.what);
    return `${what.join(", ")}: ${why}`;
  });
  const keys = [...new Set(refusals.map(({ key }) => key))];
  const trust = `"trust": { ${JSON.stringify(directory)}: [${keys.map((key) => JSON.stringify(key)).join(", ")}] }`;
  return `Ignored in ${path}: ${reasons.join("; ")}. To allow it, put ${trust} into ${userConfigPath}.`;
}

/** Who may choose the targets of a project does not yet choose what runs there without a question. */
function withoutLevels(on: NonNullable<Config["on"]>) {
  const isLevelled = (one: (typeof on)[number]) => typeof one !== "string" && one.autonomy !== undefined;
  const bare = on.map((one) => {
    if (typeof one === "string") return one;
    const { autonomy: _, ...rest } = one;
    return rest;
  });
  return { on: bare, isChanged: on.some(isLevelled) };
}

function isTrustedKey(key: string): key is TrustedKey {
  return (TRUSTED_KEYS as readonly string[]).includes(key);
}

/** A dialect is anybody's choice, the gates that come with it are not. One that is set for a tool holds in every dialect. */
async function floorUnder(
  { dialect, tools }: Config,
  { dialect: own, isDialectGiven, tools: given }: ProjectPartOptions,
): Promise<Gates> {
  if (dialect === undefined || isDialectGiven) return {};
  const [theirs, ours] = await Promise.all([gatesOfDialect(dialect), gatesOfDialect(own)]);
  const settings: ToolSettings = { ...given, ...tools };
  const looser = Object.entries(ours).filter(([name, gate]) => {
    const [setting, their] = [settings[name], theirs[name]];
    if (setting === false || gateOf(setting) !== undefined) return false;
    return their !== undefined && isLooserGate(name, their, gate);
  });
  return Object.fromEntries(looser);
}

/** A tool may be switched off and its gate raised, never the other way. */
function toolsPart(
  asked: ToolSettings,
  given: ToolSettings,
): { readonly tools: ToolSettings; readonly refusals: readonly Refusal[] } {
  const refusals: Refusal[] = [];
  const kept = Object.entries(asked).flatMap(([name, setting]): [string, boolean | ToolSetting][] => {
    const before = Object.hasOwn(given, name) ? given[name] : undefined;
    const gate = gateOf(setting);
    if (before === false && setting !== false) {
      refusals.push({ key: "tools", what: `"tools.${name}"`, why: "you switched this off" });
      return [];
    }
    if (gate !== undefined && isLooserGate(name, gate, gateOf(before) ?? "on")) {
      refusals.push({ key: "tools", what: `"tools.${name}.gate"`, why: "it may ask for fewer reads than you do" });
      return [];
    }
    // "true" and an object without a gate say nothing against a gate that the user set.
    const isSilent = setting !== false && gate === undefined;
    return [[name, isSilent ? (before ?? setting) : setting]];
  });
  return { tools: Object.fromEntries(kept), refusals };
}
