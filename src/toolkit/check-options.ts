/** What a toolkit's options can be refused for before anything is put together. */
import { type DefinedTool, HaftError, type RateLimit } from "../kernel/index.js";
import { AUTONOMY_LEVELS } from "../policy/index.js";
import { nearestNames } from "../text/index.js";
import { builtinTools, GATES } from "../tools/index.js";
import { requireStoreUrl } from "./store-url.js";
import type { ToolkitOptions } from "./toolkit-options.js";

/** JavaScript callers are not type-checked, and an invalid limit must not count as no limit. @throws `CONFIG_INVALID` */
export function requireChoices(
  options: Pick<
    ToolkitOptions,
    | "approver"
    | "autonomy"
    | "gate"
    | "policy"
    | "rate"
    | "redactor"
    | "roots"
    | "rules"
    | "sensitive"
    | "state"
    | "store"
    | "toolSettings"
    | "web"
  >,
): void {
  requireMethod("policy", options.policy, "decide");
  requireMethod("approver", options.approver, "ask");
  if (options.redactor !== false) requireMethod("redactor", options.redactor, "redact");
  for (const method of ["documents", "problem"]) requireMethod("state", options.state, method);
  for (const part of ["sessions", "approvals"] as const) requireMethod(`state.${part}`, options.state?.[part], "list");
  if (options.store !== undefined) requireStore(options.store, options.state);
  requireOneOf("autonomy", options.autonomy, AUTONOMY_LEVELS);
  requireOnePolicy(options);
  for (const list of ["rules", "roots", "sensitive"] as const)
    if (options[list] !== undefined && !Array.isArray(options[list]))
      throw new HaftError("CONFIG_INVALID", `The option \`${list}\` of \`createToolkit\` is a list.`, {
        details: { option: list },
      });
  requireOneOf("gate", options.gate, GATES);
  requireRate(options.rate);
  for (const [tool, setting] of Object.entries(options.toolSettings ?? {})) {
    requireSettable(tool);
    if (typeof setting === "object" && setting !== null) requireOneOf(`toolSettings.${tool}.gate`, setting.gate, GATES);
  }
}

/** The text is not shown: it may hold a password. */
function requireStore(store: unknown, state: unknown): void {
  if (typeof store !== "string" || state !== undefined)
    throw new HaftError(
      "CONFIG_INVALID",
      "The option `store` of `createToolkit` is the URL of a PostgreSQL database, in place of `state`.",
      { details: { option: "store" } },
    );
  requireStoreUrl(store);
}

/** What only Haft's own policy obeys must not be silently without effect. */
function requireOnePolicy({
  policy,
  rules,
  roots,
  sensitive,
  web = {},
}: Pick<ToolkitOptions, "policy" | "rules" | "roots" | "sensitive" | "web">): void {
  if (policy === undefined) return;
  const { privateHosts, allowedHosts, blockedHosts } = web;
  const others = {
    rules,
    roots,
    sensitive,
    "web.privateHosts": privateHosts,
    "web.allowedHosts": allowedHosts,
    "web.blockedHosts": blockedHosts,
  };
  const other = Object.entries(others).find(([, given]) => given !== undefined)?.[0];
  if (other === undefined) return;
  throw new HaftError(
    "CONFIG_INVALID",
    `Give \`createToolkit\` either \`policy\` or \`${other}\`: a policy of your own decides alone.`,
    { details: { option: other } },
  );
}

/** A misspelt limit would be none. The numbers are checked by the limit itself. */
function requireRate(rate: ToolkitOptions["rate"]): void {
  if (rate === undefined || typeof (rate as Partial<RateLimit> | null)?.reserve === "function") return;
  const unknown = Object.keys(rate ?? {}).find((name) => !RATE_NAMES.includes(name));
  if (typeof rate === "object" && rate !== null && unknown === undefined) return;
  const problem = unknown === undefined ? "is not an object" : `has an unknown property \`${unknown}\``;
  throw new HaftError(
    "CONFIG_INVALID",
    `The option \`rate\` of \`createToolkit\` ${problem}. It takes ${RATE_NAMES.join(", ")}, or a limit with a method \`reserve\`.`,
    { details: { option: "rate" } },
  );
}

const RATE_NAMES: readonly string[] = ["actions", "attempts", "windowMs"];

/** A misspelt name would leave a tool on that was to be switched off. Tools of other servers are not known yet. */
function requireSettable(tool: string): void {
  const names = builtinTools.map(({ name }) => name);
  if (names.includes(tool) || tool.includes("__")) return;
  const [nearest] = nearestNames(tool, names, 1);
  const hint = nearest === undefined ? `There are ${names.join(", ")}.` : `Did you mean \`${nearest}\`?`;
  throw new HaftError("CONFIG_INVALID", `\`toolSettings\` names "${tool}", which is not a built-in tool. ${hint}`, {
    details: { option: `toolSettings.${tool}` },
  });
}

/** Without it, every call would be denied, with a reason that only the model reads. */
function requireMethod(option: string, given: unknown, method: string): void {
  if (given === undefined) return;
  if (typeof (given as Record<string, unknown> | null)?.[method] === "function") return;
  throw new HaftError("CONFIG_INVALID", `The option \`${option}\` of \`createToolkit\` has no method \`${method}\`.`, {
    details: { option },
  });
}

function requireOneOf(option: string, given: unknown, choices: readonly unknown[]): void {
  if (given === undefined || choices.includes(given)) return;
  const shown = typeof given === "string" || given === null ? JSON.stringify(given) : typeof given;
  const taken = choices.map((one) => JSON.stringify(one)).join(", ");
  throw new HaftError(
    "CONFIG_INVALID",
    `The option \`${option}\` of \`createToolkit\` is ${shown}. It takes ${taken}.`,
    {
      details: { option },
    },
  );
}

/** @throws `CONFIG_INVALID` for anything but a list, `REGISTRY_INVALID_TOOL` for what `defineTool` did not make, and for a name that two of them have. */
export function requireTools(tools: readonly DefinedTool[]): void {
  if (!Array.isArray(tools))
    throw new HaftError("CONFIG_INVALID", "The option `tools` of `createToolkit` must be a list of tools.", {
      details: { option: "tools" },
    });
  const names = new Map<string, number>();
  for (const [index, tool] of tools.entries()) {
    if (!isDefined(tool)) throw invalid(index, "it was not made by `defineTool`, or by `fromAiSdk` or `fromLangChain`");
    const first = names.get(tool.name);
    if (first !== undefined)
      throw invalid(index, `it is named "${tool.name}" like tools[${first}]. Rename one of them`);
    names.set(tool.name, index);
  }
}

function isDefined(tool: unknown): boolean {
  const { name, body, descriptor, invoke } = (tool ?? {}) as Partial<DefinedTool>;
  return [typeof name, typeof body, typeof descriptor, typeof invoke].join() === "string,object,function,function";
}

function invalid(index: number, why: string): HaftError {
  return new HaftError("REGISTRY_INVALID_TOOL", `Did not take tools[${index}]: ${why}.`, { details: { index, why } });
}
