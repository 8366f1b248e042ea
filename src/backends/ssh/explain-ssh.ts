/** What ssh printed, as a cause and the advice that fits. */
import { HaftError } from "../../kernel/index.js";
import { showControls, truncateToHead } from "../../text/index.js";

/** Why ssh could not connect, or lost the connection; in the error's details as `reason`. */
export type SshFailure =
  | "not-installed"
  | "configuration"
  | "host-not-found"
  | "no-route"
  | "timed-out"
  | "refused"
  | "host-key-changed"
  | "host-key-unknown"
  | "authentication"
  | "algorithms"
  | "jump-host"
  | "closed"
  | "dropped";

/** Seconds that ssh may take for one step to the host. */
export const CONNECT_S = 10;

/** A jump host has a limit of its own. */
const OWN_LIMIT = `within ${CONNECT_S} s`;

interface Explanation {
  readonly reason: SshFailure;
  /** A clause. */
  readonly why: string;
  /** A sentence. */
  readonly advice: string;
}

/** The words of ssh, as its source has them. $1 of a pattern is quoted. The first that matches counts. */
const WORDS: readonly (readonly [SshFailure, RegExp, why: string, advice: string])[] = [
  [
    "configuration",
    /^(.*(?:[Bb]ad configuration option|Can't open user config file|keyword .* extra arguments|Bad owner or permissions on).*)$/m,
    "ssh rejects its configuration: $1",
    "Correct that line; `ssh -G HOST` checks the configuration.",
  ],
  [
    "host-key-changed",
    /REMOTE HOST IDENTIFICATION HAS CHANGED[\s\S]*? key sent by the remote host is\s+(SHA256:[A-Za-z0-9+/]+)/,
    "its host key is not the one in known_hosts: it sent $1",
    "Another machine may be answering. If the key was changed on purpose, run the `ssh-keygen -R` that `ssh HOST` prints, and connect once by hand.",
  ],
  [
    "host-key-unknown",
    /No (\S+) host key is known for/,
    "its $1 host key is not in known_hosts",
    "Run `ssh HOST` once by hand, compare the fingerprint, and accept it.",
  ],
  [
    "host-key-unknown",
    /Host key verification failed/,
    "its host key is not in known_hosts",
    "Run `ssh HOST` once by hand, compare the fingerprint, and accept it.",
  ],
  [
    "authentication",
    /Permission denied \(([^)]*)\)/,
    "no key was accepted (the server takes $1)",
    "Load the key with `ssh-add`, or name it as IdentityFile in ~/.ssh/config, until `ssh -o BatchMode=yes HOST true` works. Haft never asks for a password.",
  ],
  [
    "authentication",
    /(Too many authentication failures)/,
    "the server stopped after too many keys",
    "Set IdentityFile and `IdentitiesOnly yes` for this host in ~/.ssh/config.",
  ],
  [
    "algorithms",
    /no matching (.*?) found/,
    "the server and the client have no common $1",
    "Update the older of the two, or allow the algorithm for this host in ~/.ssh/config.",
  ],
  [
    "host-not-found",
    /Could not resolve hostname (\S+?):/,
    'the host name "$1" cannot be resolved',
    "Check the spelling, or add it to ~/.ssh/config.",
  ],
  [
    "refused",
    /Connection refused/,
    "the connection was refused",
    "Check that sshd runs there and that the port is right.",
  ],
  [
    "no-route",
    /(No route to host|Network is unreachable)/,
    "there is no route to it",
    "Check that the machine is on and the network or VPN is up.",
  ],
  [
    "dropped",
    /Timeout, server .* not responding/,
    "the connection was lost: the server did not answer any more",
    "Check the network, then try again.",
  ],
  [
    "timed-out",
    /(?:timed out|Connection timeout)/,
    `it did not answer within ${CONNECT_S} s`,
    "Check that the machine is on, the address is right, and no firewall drops the connection.",
  ],
  [
    "dropped",
    /(?:Connection to .* closed by remote host|Broken pipe|Connection reset by|client_loop: send disconnect)/,
    "the connection was lost: the other side closed it",
    "Try again; if it happens again, look into the log of sshd there.",
  ],
  [
    "closed",
    /(?:kex_exchange_identification|Connection closed by|banner exchange)/,
    "the server closed the connection before ssh could log in",
    "Check that the port is one of sshd, and that it accepts connections from here.",
  ],
];

/** Whether ssh ended because a program that leads to the host, of ProxyJump or ProxyCommand, ended. */
export function isThroughAnother(printed: string): boolean {
  return /UNKNOWN port 65535|stdio forwarding failed/.test(printed);
}

/** The cause that ssh printed, or undefined. */
export function causeOf(printed: string): Explanation | undefined {
  // The words of the jump host come first, and those of ssh about it last.
  const isThrough = isThroughAnother(printed);
  const words = isThrough
    ? printed.replaceAll(/^.*(?:kex_exchange_identification|UNKNOWN port 65535).*$/gm, "")
    : printed;
  for (const [reason, pattern, why, advice] of WORDS) {
    const match = pattern.exec(words);
    if (match === null) continue;
    const quoted = truncateToHead(showControls((match[1] ?? "").replaceAll(/\s+/g, " ").trim()), 200).text;
    const cause = { reason, why: why.replace("$1", () => quoted), advice };
    return isThrough
      ? {
          ...cause,
          reason: "jump-host",
          why: `on the way to it, ${throughWhat(printed, cause.why.replace(OWN_LIMIT, "in time"))}`,
        }
      : cause;
  }
  if (!isThrough) return undefined;
  return {
    reason: "jump-host",
    why: "the jump host or ProxyCommand that leads to it ended",
    advice: "Run `ssh HOST true` by hand to see why.",
  };
}

/** A jump host that was reached but cannot open the last step reports so itself. */
function throughWhat(printed: string, why: string): string {
  return /stdio forwarding failed/.test(printed)
    ? `the jump host could not connect: ${why}`
    : `at the jump host: ${why}`;
}

/** How the user reaches the host by hand, for the advice. */
export interface ByHand {
  /** What follows `ssh`: "-F FILE -p 2222 user@host". */
  readonly words: string;
  /** The configuration file that counts. */
  readonly config: string;
}

/** @param name - The target. */
export function sshError(name: string, { words, config }: ByHand, { reason, why, advice }: Explanation): HaftError {
  const shown = advice.replaceAll(/HOST|~\/\.ssh\/config/g, (found) => (found === "HOST" ? words : config));
  return new HaftError("BACKEND_UNAVAILABLE", `Could not reach "${name}": ${why}. ${shown}`, {
    details: { backend: name, reason, why },
  });
}
