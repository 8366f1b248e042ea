/** Destinations: `user@host:port`, checked before ssh sees them. */
import { HaftError } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";

export interface Destination {
  readonly user?: string;
  /** A name, an address, or an alias of the user's configuration. */
  readonly host: string;
  readonly port?: number;
}

/** What OpenSSH itself refuses in names since 9.6, because they reach the commands of a configuration, and whitespace. */
const UNSAFE = /[\s\p{Cc}'"`$;&<>|(){}]/u;

/** Without brackets, so without a port. */
const IPV6 = /^[0-9a-f.]*(:[0-9a-f.]*){2,}(%\w+)?$/i;
/** The host, in brackets or not, and the port. */
const PLACE = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d*))?$/;

/**
 * Parses `host`, `user@host`, `user@host:port`, `[address]:port`.
 * @throws `CONFIG_INVALID` for anything that ssh could take for an option or pass to a shell
 */
export function parseDestination(text: string): Destination {
  const at = text.lastIndexOf("@");
  const user = at === -1 ? undefined : text.slice(0, at);
  const place = text.slice(at + 1);
  const [, bracketed, plain, portText] = IPV6.test(place) ? [undefined, undefined, place] : (PLACE.exec(place) ?? []);
  const host = bracketed ?? plain;
  const port = portText === undefined ? undefined : Number(portText);
  if (host === undefined || host === "" || user === "")
    throw refused(text, "it is not `user@host` or `user@host:port`");
  if (host.startsWith("-") || user?.startsWith("-")) {
    throw refused(text, "a name that begins with a dash would be an option of ssh");
  }
  if (UNSAFE.test(text) || host.includes("\\") || user?.endsWith("\\")) {
    throw refused(text, "it has whitespace, a control character or a character that a shell interprets");
  }
  if (port !== undefined && (portText === "" || port < 1 || port > 65_535)) {
    throw refused(text, "the port is not a number from 1 to 65535");
  }
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) };
}

function refused(text: string, why: string): HaftError {
  return new HaftError(
    "CONFIG_INVALID",
    `Did not connect to "${showControls(text)}": ${why}. Use user@host or user@host:port, or an alias of ~/.ssh/config.`,
    { details: { destination: text, why } },
  );
}
