/** The version of the package, from its manifest. */
import { readFileSync } from "node:fs";

export function haftVersion(): string {
  const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
