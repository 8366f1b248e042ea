/** What a user has decided about the web, for the policy. Hosts are patterns as in rules. */
export interface WebPolicy {
  /** Hosts of this machine or of private networks that requests may reach. */
  readonly privateHosts?: readonly string[];
  /** Absent: any. */
  readonly allowedHosts?: readonly string[];
  readonly blockedHosts?: readonly string[];
  /** URLs without a query: requests to them run unasked at every level. */
  readonly searchEndpoints?: readonly string[];
  /** The hosts to which a user has bound each secret, as `name` or `name:port`. Absent: not known, so that any secret is asked about. */
  readonly secrets?: readonly { readonly name: string; readonly hosts: readonly string[] }[];
}
