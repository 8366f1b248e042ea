/** The `web` of a configuration file: how the layers add up, and what of it a project may decide by itself. */
import { hostsOfBoth } from "../../policy/index.js";
import { resolvePath } from "../../text/index.js";
import type { ConfigLayer, WebConfig } from "./config.js";

/** Adds that of a file. A later file of the user replaces settings of an earlier one; lists of hosts that are private or blocked are joined. */
export function withWeb(
  under: WebConfig,
  over: WebConfig,
  { by, directory, home }: Pick<ConfigLayer, "by" | "directory"> & { readonly home: string },
): WebConfig {
  const { privateHosts = [], allowedHosts, blockedHosts = [], ca, secrets, ...others } = over;
  const narrowed =
    by === "project" && allowedHosts !== undefined && under.allowedHosts !== undefined
      ? hostsOfBoth(under.allowedHosts, allowedHosts)
      : allowedHosts;
  return {
    ...under,
    ...others,
    ...(ca === undefined ? {} : { ca: resolvePath(directory, ca, home) }),
    ...(narrowed === undefined ? {} : { allowedHosts: narrowed }),
    ...joined("privateHosts", under.privateHosts, privateHosts),
    ...joined("blockedHosts", under.blockedHosts, blockedHosts),
    ...(secrets === undefined ? {} : { secrets: { ...under.secrets, ...secrets } }),
  };
}

function joined(
  key: "privateHosts" | "blockedHosts",
  under: readonly string[] = [],
  over: readonly string[],
): WebConfig {
  const all = [...new Set([...under, ...over])];
  return all.length === 0 ? {} : { [key]: all };
}

/** What a project may decide by itself: which hosts requests do not reach. `widens`: the other keys. */
export function narrowingWeb({ allowedHosts, blockedHosts, ...widening }: WebConfig): {
  readonly web: WebConfig;
  readonly widens: readonly string[];
} {
  return {
    web: {
      ...(allowedHosts === undefined ? {} : { allowedHosts }),
      ...(blockedHosts === undefined ? {} : { blockedHosts }),
    },
    widens: Object.keys(widening),
  };
}
