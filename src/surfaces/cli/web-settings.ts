/** The `web` of the configuration with the values that it only names: variables of the environment and a file of certificates. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { messageOf } from "../../kernel/index.js";
import { MIN_SECRET_LENGTH } from "../../policy/index.js";
import type { SettledConfig, WebOptions } from "../../toolkit/index.js";
import { printNotice } from "./output.js";
import { UsageError } from "./usage.js";

/** What is configured and cannot be used. */
export interface WebNotice {
  /** Haft's own name of the tool that does without it. */
  readonly tool: "websearch" | "http_request";
  readonly found: string;
  readonly next: string;
}

export interface WebSettings {
  readonly web: WebOptions;
  readonly notices: readonly WebNotice[];
  /** The configured search has no key: another one must not get its queries. */
  readonly hasSearch: boolean;
}

/** @throws UsageError for a file of certificates that cannot be used */
export function webSettings({ search, secrets = {}, ca, ...web }: SettledConfig["web"]): WebSettings {
  const notices: WebNotice[] = [];
  /** Undefined with a notice, for a variable that has no value to be sent. */
  const secretIn = (variable: string, { key, tool, cost }: { key: string; tool: WebNotice["tool"]; cost: string }) => {
    const value = process.env[variable] ?? "";
    if (value.length >= MIN_SECRET_LENGTH) return value;
    const isUnset = value === "";
    const why = isUnset
      ? "is not set"
      : `has ${value.length} ${value.length === 1 ? "character" : "characters"}; at least ${MIN_SECRET_LENGTH} are needed, since it could not be hidden in what is shown`;
    notices.push({
      tool,
      found: `${cost}: "${key}" names ${variable}, which ${why}.`,
      next: isUnset ? `Set ${variable}, or remove what names it.` : `Put a longer secret into ${variable}.`,
    });
    return undefined;
  };
  const key =
    search?.env === undefined
      ? undefined
      : secretIn(search.env, { key: "web.search.env", tool: "websearch", cost: "`websearch` is not offered" });
  const hasSearch = search?.env === undefined || key !== undefined;
  const known = Object.entries(secrets).flatMap(([name, { env, ...bound }]) => {
    const cost = `The secret "${name}" cannot be used`;
    const value = secretIn(env, { key: `web.secrets.${name}.env`, tool: "http_request", cost });
    return value === undefined ? [] : [{ name, value, ...bound }];
  });
  return {
    web: {
      ...web,
      ...(ca === undefined ? {} : { ca: certificates(ca) }),
      ...(search === undefined || !hasSearch ? {} : { search: searchOf(search, key) }),
      ...(known.length === 0 ? {} : { secrets: known }),
    } as WebOptions,
    notices,
    hasSearch,
  };
}

function searchOf({ env: _, ...search }: NonNullable<SettledConfig["web"]["search"]>, key: string | undefined) {
  return key === undefined ? search : { ...search, key };
}

function certificates(path: string): string {
  let pem: string;
  try {
    pem = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Did not start: the certificates of "web.ca" cannot be read: ${messageOf(error)}.`);
  }
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new UsageError(`Did not start: "web.ca" names ${path}, which contains no certificate in PEM format.`);
  }
}

export function printWebNotices(notices: readonly WebNotice[]): void {
  for (const { found, next } of notices) printNotice(`${found} ${next}`);
}
