/** Whether a host or an address is on the public internet, on this machine or its networks, or where clouds have their metadata. */
import { hostInUrl, plainHost } from "./host-pattern.js";
import {
  EMBEDDED_IPV4,
  type NetworkPlace,
  PLACES,
  SPECIAL_IPV4,
  SPECIAL_IPV6,
  type SpecialBlock,
} from "./special-addresses.js";

/** `what` reads after "is": "a private address (10.0.0.0/8)". */
export interface Judged {
  readonly place: NetworkPlace;
  readonly what: string;
}

const PUBLIC: Judged = { place: "public", what: "public" };

/** An address as a number, and in the form of URLs. */
interface Address {
  readonly bits: bigint;
  readonly width: 32 | 128;
  readonly text: string;
}

interface Block {
  readonly cidr: string;
  readonly prefix: bigint;
  /** Bits below the prefix. */
  readonly below: bigint;
}

/**
 * An address in any form that a resolver, a URL or a user writes: with a zone, dots at its end, digits of other scripts, percent
 * encoding, octal or hexadecimal numbers, fewer than four numbers. Undefined for what is not an address.
 */
function addressOf(text: string): Address | undefined {
  const bare =
    /^\[?([^[\]]*)\]?$/.exec(text)?.[1]?.replace(/%[^:]*$/, (zone) => (text.includes(":") ? "" : zone)) ?? "";
  // Whatever separates the parts of a URL would end the host.
  if (bare === "" || /[/?#@\\\s]/.test(bare)) return undefined;
  const host = hostInUrl(bare.includes(":") ? `[${bare}]` : bare) ?? "";
  if (/^\d+(\.\d+){3}$/.test(host)) return { bits: joined(host.split(".").map(Number), 8n), width: 32, text: host };
  if (!/^\[[\da-f:]+\]$/.test(host)) return undefined;
  const inner = host.slice(1, -1);
  const [head = "", tail] = inner.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return { bits: joined([...before, ...Array<number>(zeros).fill(0), ...after], 16n), width: 128, text: inner };
}

const joined = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);

function blockOf(cidr: string): Block {
  const [base = "", length = ""] = cidr.split("/");
  const { bits, width } = addressOf(base)!;
  const below = BigInt(width - Number(length));
  return { cidr, prefix: bits >> below, below };
}

const contains = ({ prefix, below }: Block, bits: bigint): boolean => bits >> below === prefix;

const tableOf = (rows: readonly SpecialBlock[]) =>
  rows.map(([cidr, place, what]) => ({ ...blockOf(cidr), judged: { place, what: `${what} (${cidr})` } }));
const IPV4 = tableOf(SPECIAL_IPV4);
const IPV6 = tableOf(SPECIAL_IPV6);
const EMBEDDED = EMBEDDED_IPV4.map((one) => ({ ...one, ...blockOf(one.cidr), shift: BigInt(one.below) }));
const GLOBAL_UNICAST = blockOf("2000::/3");
const RESERVED: Judged = { place: "private", what: "not a public address" };
const MAX_IPV4 = 0xffff_ffffn;

/** The most dangerous of some. Of equals the last, which is the closest block. */
function worst(judged: readonly Judged[]): Judged | undefined {
  return judged.reduce<Judged | undefined>(
    (found, one) => (found && PLACES.indexOf(found.place) > PLACES.indexOf(one.place) ? found : one),
    undefined,
  );
}

const judgeIpv4 = (bits: bigint): Judged =>
  worst(IPV4.filter((block) => contains(block, bits)).map(({ judged }) => judged)) ?? PUBLIC;

function judgeIpv6(bits: bigint): Judged {
  const inside = (ipv4: bigint): Judged => {
    const { place, what } = judgeIpv4(ipv4);
    return place === "public" ? PUBLIC : { place, what: `${what}, as ${ipv4Text(ipv4)} within IPv6` };
  };
  const embedded = EMBEDDED.filter((block) => contains(block, bits)).map(({ shift, isInverted, isAlias }) => {
    const ipv4 = (bits >> shift) & MAX_IPV4;
    return { judged: inside(isInverted ? ipv4 ^ MAX_IPV4 : ipv4), isAlias };
  });
  const alias = embedded.find(({ isAlias }) => isAlias);
  // Below any prefix, the address of an interface may be 0:5efe:a.b.c.d or 200:5efe:a.b.c.d (ISATAP).
  const isIsatap = ((bits >> 32n) & 0xfdff_ffffn) === 0x5efen;
  return worst([
    contains(GLOBAL_UNICAST, bits) || alias !== undefined ? PUBLIC : RESERVED,
    ...(isIsatap ? [inside(bits & MAX_IPV4)] : []),
    ...embedded.map(({ judged }) => judged),
    ...IPV6.filter((block) => contains(block, bits)).map(({ judged }) => judged),
  ])!;
}

const ipv4Text = (bits: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".");

/** Undefined for what is not an address: then it is not known where a connection would go. */
export function judgeAddress(text: string): Judged | undefined {
  const address = addressOf(text);
  if (address === undefined) return undefined;
  return address.width === 32 ? judgeIpv4(address.bits) : judgeIpv6(address.bits);
}

const METADATA_NAME =
  /^(metadata|(.*\.)?metadata\.google\.internal|(.*\.)?metadata\.goog|instance-data(\.ec2\.internal)?)$/;
/** Names that resolve in a private network only. */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)$/;

/** @param hostname - As `URL.hostname` gives it. What a name resolves to is judged by its address. */
export function judgeHost(hostname: string): Judged {
  const address = judgeAddress(hostname);
  if (address !== undefined) return address;
  const name = plainHost(hostname);
  if (METADATA_NAME.test(name))
    return { place: "metadata", what: "a name of cloud metadata, which gives out credentials of the machine" };
  if (PRIVATE_NAME.test(name) || !name.includes("."))
    return { place: "private", what: "a name of this machine or of a private network" };
  return PUBLIC;
}
