/** The certificate authorities that are accepted when a host adds its own. */
import { readFileSync } from "node:fs";
import * as tls from "node:tls";
import { HaftError } from "../../kernel/index.js";

/** @param added - PEM. */
export function authoritiesWith(added: string): string[] {
  if (!added.includes("-----BEGIN CERTIFICATE-----")) {
    throw new HaftError(
      "CONFIG_INVALID",
      "Did not load the certificate authorities: `ca` contains no PEM certificate.",
      { hint: "Pass the text of a PEM file, not its path." },
    );
  }
  return [...systemAuthorities(), added];
}

/** Node.js 20 lists only its own: those of `NODE_EXTRA_CA_CERTS` belong to them. */
function systemAuthorities(): readonly string[] {
  if ("getCACertificates" in tls) return (tls.getCACertificates as (kind: "default") => string[])("default");
  const path = process.env.NODE_EXTRA_CA_CERTS;
  try {
    return path === undefined || path === ""
      ? tls.rootCertificates
      : [...tls.rootCertificates, readFileSync(path, "utf8")];
  } catch {
    return tls.rootCertificates; // as Node.js does, which warns at its start
  }
}
