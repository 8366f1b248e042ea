/** The `web` of the configuration with the values that it only names: variables of the environment and a file of certificates. */
import { readFileSync } from "node:fs";
import { messageOf } from "../../kernel/index.js";
import type { SettledConfig, WebOptions } from "../../toolkit/index.js";
import { UsageError } from "./usage.js";

export interface WebSettings {
  readonly web: WebOptions;
  /** What is configured and cannot be used, as sentences. */
  readonly notices: readonly string[];
  /** The configured search has no key: another one must not get its queries. */
  readonly hasSearch: boolean;
}

/** @throws UsageError for a file of certificates that cannot be read */
export function webSettings({ search, secrets = {}, ca, ...web }: SettledConfig["web"]): WebSettings {
  const notices: string[] = [];
  const key = search?.key === undefined ? undefined : process.env[search.key];
  const hasSearch = search?.key === undefined || !!key;
  if (!hasSearch)
    notices.push(`\`websearch\` is not offered: "web.search.key" names ${search?.key}, which is not set.`);
  const known = Object.entries(secrets).flatMap(([name, { env, ...bound }]) => {
    const value = process.env[env];
    if (value) return [{ name, value, ...bound }];
    notices.push(`The secret "${name}" cannot be used: "web.secrets.${name}.env" names ${env}, which is not set.`);
    return [];
  });
  return {
    web: {
      ...web,
      ...(ca === undefined ? {} : { ca: certificates(ca) }),
      ...(search === undefined || !hasSearch ? {} : { search: { ...search, ...(key === undefined ? {} : { key }) } }),
      ...(known.length === 0 ? {} : { secrets: known }),
    } as WebOptions,
    notices,
    hasSearch,
  };
}

function certificates(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Did not start: the certificates of "web.ca" cannot be read: ${messageOf(error)}.`);
  }
}
