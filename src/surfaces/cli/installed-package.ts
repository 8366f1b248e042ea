/** The package as it is installed: its version and its command. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

interface Manifest {
  readonly version: string;
  readonly bin: { readonly haft: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** By name, since a built file does not know how deep in the package it is. */
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

/** Packages that a person may install beside Haft for more. */
export function optionalPackages(): readonly string[] {
  return Object.keys(manifest().peerDependencies ?? {});
}
