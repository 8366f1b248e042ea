/** The installed package: version, command and schema. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

interface Manifest {
  readonly version: string;
  readonly bin: { readonly haft: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** By name: bundled files lie at another depth than their sources. */
const manifestPath = () => createRequire(import.meta.url).resolve("haft/package.json");

const manifest = () => JSON.parse(readFileSync(manifestPath(), "utf8")) as Manifest;

export function haftVersion(): string {
  return manifest().version;
}

/** The absolute path of the `haft` command. */
export function haftCommand(): string {
  return join(dirname(manifestPath()), manifest().bin.haft);
}

/** The absolute path of the JSON Schema of `haft.jsonc`. */
export function configSchemaPath(): string {
  return join(dirname(manifestPath()), "config.schema.json");
}

/** Optional packages that a user may install beside Haft. */
export function optionalPackages(): readonly string[] {
  return Object.keys(manifest().peerDependencies ?? {});
}
