/** The policies that dialects bring along, by the name in `Dialect.policyPreset`. */
import { type Dialect, HaftError, type Policy } from "../kernel/index.js";
import type { RateOptions } from "./toolkit-options.js";

interface PolicyPreset {
  readonly policy: Policy;
  readonly rate: RateOptions;
}

/**
 * The preset of a dialect above Haft's own policy, or undefined for a dialect without one.
 *
 * @param base - Haft's own policy, which decides as well.
 * @param allowedHosts - Those that the user lists for the web: with this preset, the domains of `http_request` too.
 * @throws `CONFIG_INVALID` for a preset that does not exist.
 */
export async function presetOf(
  { name, policyPreset }: Dialect,
  base: Policy,
  allowedHosts: readonly string[] = [],
): Promise<PolicyPreset | undefined> {
  if (policyPreset === undefined) return undefined;
  if (policyPreset !== "zeroclaw") {
    const message = `The dialect "${name}" names the policy preset "${policyPreset}". Use "zeroclaw", or none.`;
    throw new HaftError("CONFIG_INVALID", message);
  }
  const { validatingPolicy } = await import("../policy/zeroclaw/index.js");
  return { policy: validatingPolicy({ base, allowedDomains: allowedHosts }), rate: { actions: 20 } };
}
