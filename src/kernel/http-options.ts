/** What a host sets about its HTTP port. */

/** A credential that is sent to its hosts without being shown to a model. */
export interface HttpSecret {
  readonly name: string;
  readonly value: string;
  /** Host names, each for every port, or `name:port` for one. A name does not stand for its subdomains. */
  readonly hosts: readonly string[];
  /** Default "Authorization". */
  readonly header?: string;
  /** Default "Bearer ". */
  readonly prefix?: string;
}

export interface HttpOptions {
  /** The IP addresses of a host name. Default: those of the system. Literal addresses are not looked up. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
  /** Where to connect for an address that was judged. Default: to that address. For tests, whose servers listen on loopback. */
  readonly dial?: (address: string) => string;
  /** Certificates of authorities to accept beside those of the system, as PEM. */
  readonly ca?: string;
  /**
   * "trusted": use the proxy of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Then the proxy resolves names, so that addresses
   * cannot be judged here. Default: connect directly, whatever the environment holds.
   */
  readonly proxy?: "trusted";
  readonly secrets?: readonly HttpSecret[];
}
