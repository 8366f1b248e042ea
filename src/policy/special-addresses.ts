/**
 * The addresses that are not of the public internet: the special-purpose registries of IANA, and where clouds have their metadata.
 * A table of our own, because each row is a decision about what a model may reach.
 */

/** From the most to the least harmless. */
export const PLACES = ["public", "private", "metadata"] as const;
export type NetworkPlace = (typeof PLACES)[number];

/** A block, what is there, and how it reads after "is". IPv6 is public within 2000::/3 only, so that other blocks are here for their names. */
export type SpecialBlock = readonly [cidr: string, place: Exclude<NetworkPlace, "public">, what: string];

const METADATA = "an address of cloud metadata, which gives out credentials of the machine";

export const SPECIAL_IPV4: readonly SpecialBlock[] = [
  ["0.0.0.0/8", "private", "an address of this machine"],
  ["10.0.0.0/8", "private", "a private address"],
  ["100.64.0.0/10", "private", "an address of a carrier's network"],
  ["100.100.100.200/32", "metadata", METADATA],
  ["127.0.0.0/8", "private", "an address of this machine"],
  ["168.63.129.16/32", "metadata", METADATA],
  ["169.254.0.0/16", "metadata", "a link-local address, as that of cloud metadata"],
  ["172.16.0.0/12", "private", "a private address"],
  ["192.0.0.0/24", "private", "an address of protocols"],
  ["192.0.0.192/32", "metadata", METADATA],
  ["192.0.2.0/24", "private", "an address of documentation"],
  ["192.88.99.0/24", "private", "an address of a 6to4 relay"],
  ["192.168.0.0/16", "private", "a private address"],
  ["198.18.0.0/15", "private", "an address of benchmarks"],
  ["198.51.100.0/24", "private", "an address of documentation"],
  ["203.0.113.0/24", "private", "an address of documentation"],
  ["224.0.0.0/4", "private", "a multicast address"],
  ["240.0.0.0/4", "private", "a reserved address"],
];

export const SPECIAL_IPV6: readonly SpecialBlock[] = [
  ["::/128", "private", "an address of this machine"],
  ["::1/128", "private", "an address of this machine"],
  ["64:ff9b:1::/48", "private", "an address of a local translator to IPv4"],
  ["100::/64", "private", "an address that discards"],
  ["2001::/23", "private", "an address of protocols"],
  ["2001:db8::/32", "private", "an address of documentation"],
  ["2620:4f:8000::/48", "private", "an address of an AS112 server"],
  ["3fff::/20", "private", "an address of documentation"],
  ["5f00::/16", "private", "an address of segment routing"],
  ["fc00::/7", "private", "a private address"],
  ["fd00:c1::a9fe:a9fe/128", "metadata", METADATA],
  ["fd00:ec2::23/128", "metadata", METADATA],
  ["fd00:ec2::254/128", "metadata", METADATA],
  ["fd20:ce::254/128", "metadata", METADATA],
  ["fe80::/10", "private", "a link-local address"],
  ["fe80::a9fe:a9fe/128", "metadata", METADATA],
  ["fec0::/10", "private", "a private address"],
  ["ff00::/8", "private", "a multicast address"],
];

/** Where an IPv6 address has an IPv4 address in it: how many bits are below that, and whether all bits of it are inverted. */
export interface EmbeddedIpv4 {
  readonly cidr: string;
  readonly below: number;
  readonly isInverted?: true;
  /** Nothing but the IPv4 address decides. */
  readonly isAlias?: true;
}

export const EMBEDDED_IPV4: readonly EmbeddedIpv4[] = [
  { cidr: "::ffff:0:0/96", below: 0, isAlias: true },
  { cidr: "::ffff:0:0:0/96", below: 0 },
  { cidr: "::/96", below: 0 },
  { cidr: "64:ff9b::/96", below: 0, isAlias: true },
  { cidr: "64:ff9b:1::/48", below: 0 },
  { cidr: "2002::/16", below: 80, isAlias: true },
  // The server and the client of Teredo.
  { cidr: "2001::/32", below: 64 },
  { cidr: "2001::/32", below: 0, isInverted: true },
];
