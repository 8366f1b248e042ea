/** Destinations of ssh: `user@host:port`. */
export interface SshDestination {
  readonly user?: string;
  /** A name, an address, or an alias of the user's configuration. */
  readonly host: string;
  readonly port?: number;
}

/** What OpenSSH itself refuses in names since 9.6, because they reach the commands of a configuration; whitespace and invisible characters. */
const UNSAFE = /[\s\p{Cc}\p{Cf}'"`$;&<>|(){}]/u;
/** Patterns of a configuration, and what begins another part of a target. A user may have these. */
const NO_HOST = /[*?!,=#/\\~^]/;

/** Without brackets, so without a port: "::" once, or eight parts. */
const IPV6 = /^(?=.*::|(?:[^:]+:){7}[^:]+$)[0-9a-f.]*(:[0-9a-f.]*){2,}(%\w+)?$/i;
/** The host, in brackets or not, and the port. */
const PLACE = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d*))?$/;

/**
 * Parses `host`, `user@host`, `user@host:port`, `[address]:port`. Returns why it cannot be used, as a clause, for anything that ssh
 * could take for an option or pass to a shell.
 */
export function parseSshDestination(text: string): SshDestination | string {
  const at = text.lastIndexOf("@");
  const user = at === -1 ? undefined : text.slice(0, at);
  const place = text.slice(at + 1);
  const [, bracketed, plain, portText] = IPV6.test(place) ? [undefined, undefined, place] : (PLACE.exec(place) ?? []);
  const host = bracketed ?? plain;
  const port = portText === undefined ? undefined : Number(portText);
  if (host === undefined || host === "" || user === "") return "it is not `user@host` or `user@host:port`";
  if (host.startsWith("-") || user?.startsWith("-")) return "a name that begins with a dash would be an option of ssh";
  if (UNSAFE.test(text) || user?.endsWith("\\"))
    return "it has whitespace, a control character or a character that a shell interprets";
  const [odd] = NO_HOST.exec(host) ?? [];
  if (odd !== undefined) return `a host name cannot contain "${odd}"`;
  if (port !== undefined && (portText === "" || port < 1 || port > 65_535))
    return "the port is not a number from 1 to 65535";
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) };
}
