/** Judges where connections may go. */
export interface HostGuard {
  /** Why there may be no connection to this host, as a clause; undefined if there may. */
  hostRefusal(host: string): string | undefined;
  /** The same for an address that the host resolves to. */
  addressRefusal(address: string, host: string): string | undefined;
}
