/** What went wrong with a connection, in words. */
import { HaftError, messageOf } from "../../kernel/index.js";

/** Code → what happened, and what to do. */
const REASONS: Readonly<Record<string, readonly [why: string, next: string]>> = {
  ECONNREFUSED: ["the connection was refused", "Check the host and the port, and that the server is running"],
  ENOTFOUND: ["the host name does not exist", "Check the spelling of the host"],
  ENODATA: ["the host name has no address", "Check the spelling of the host"],
  EAI_AGAIN: ["the host name could not be resolved", "Check the network and try again later"],
  ECONNRESET: ["the server closed the connection before the response was complete", "Try again later"],
  EPIPE: ["the server closed the connection before the response was complete", "Try again later"],
  ETIMEDOUT: ["the host did not answer", "Check the host and the port, or try again later"],
  EHOSTUNREACH: ["the host cannot be reached from this machine", "Check the network"],
  ENETUNREACH: ["the network of the host cannot be reached from this machine", "Check the network"],
  EADDRNOTAVAIL: ["the address cannot be connected to from this machine", "Check the host"],
  EACCES: ["the system does not permit the connection", "Check the firewall of this machine"],
  EMFILE: ["too many files are open in this process", "Try again when others have been closed"],
  UND_ERR_SOCKET: ["the server closed the connection before the response was complete", "Try again later"],
  UND_ERR_HEADERS_OVERFLOW: ["the headers of the response are larger than 64 KiB", "Request another URL"],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    "the body is not as long as its Content-Length",
    "Try again later; the server or a proxy is faulty",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is self-signed", "The user can add its certificate with `web.ca`"],
  SELF_SIGNED_CERT_IN_CHAIN: [
    "its certificate is issued by an unknown authority, whose certificate is self-signed",
    "The user can add the certificate of the authority with `web.ca`",
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    "its certificate is issued by an unknown authority, or the server omits the certificate between",
    "The user can add the certificate of the authority with `web.ca`",
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    "its certificate is issued by an unknown authority",
    "The user can add the certificate of the authority with `web.ca`",
  ],
  CERT_HAS_EXPIRED: ["its certificate has expired", "The owner of the server has to renew it"],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", "Check the clock of this machine"],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "its certificate is for another host name",
    "Request a name that the certificate has, or check whether the host is the right one",
  ],
  EPROTO: ["the server did not answer with TLS", "Use http: if the server has no TLS on this port"],
};

const PARSER = ["the response is not valid HTTP", "Check that an HTTP server listens on this port"] as const;

/** What is known beside the error. */
interface FaultContext {
  readonly url: URL;
  /** The request may have been processed though its response was lost. */
  readonly mayHaveArrived?: boolean;
  readonly proxy?: URL | undefined;
}

export function unreachable(thrown: unknown, { url, mayHaveArrived = false, proxy }: FaultContext): HaftError {
  if (HaftError.is(thrown)) return thrown;
  const system = codeOf(thrown);
  const [reason, next] = reasonOf(system, thrown);
  const why = proxy === undefined ? reason : `${reason} (through the proxy ${proxy.host})`;
  const warning = mayHaveArrived ? " The server may have processed the request: check before you send it again." : "";
  return new HaftError("WEB_UNREACHABLE", `Did not fetch "${url.href}": ${why}. ${next}.${warning}`, {
    details: { url: url.href, why, ...(system === undefined ? {} : { system }) },
    cause: thrown,
  });
}

/** @param why - A clause. */
export function unreadableBody(url: URL, why: string, cause?: unknown): HaftError {
  return new HaftError("WEB_UNREADABLE", `Did not read the body of "${url.href}": ${why}.`, {
    details: { url: url.href, why },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A socket error has its cause below it, several attempts to connect have theirs in a list. */
export function codeOf(thrown: unknown): string | undefined {
  const { code, cause, errors } = (thrown ?? {}) as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
  const inner =
    codeOfFirst(errors) ?? (code === "UND_ERR_SOCKET" || code === undefined ? codeOfCause(cause) : undefined);
  return inner ?? (typeof code === "string" ? code : undefined);
}

const codeOfFirst = (errors: readonly unknown[] | undefined) => (errors?.length ? codeOf(errors[0]) : undefined);
const codeOfCause = (cause: unknown) => (cause === undefined ? undefined : codeOf(cause));

function reasonOf(code: string | undefined, thrown: unknown): readonly [string, string] {
  if (isParserFault(thrown)) return PARSER;
  const known = code === undefined ? undefined : REASONS[code];
  if (known !== undefined) return known;
  if (code?.startsWith("ERR_SSL_")) return REASONS.EPROTO!;
  const status = /Proxy response \((\d+)\)|Proxy Authentication Required \((407)\)/.exec(messageOf(thrown));
  if (status !== null)
    return [`the proxy refused it with status ${status[1] ?? status[2]}`, "Check the proxy's settings"];
  return [`the connection failed (${messageOf(thrown)})`, "Try again later"];
}

/** undici reports a response that it did not ask for, such as an upgrade, as a socket that failed. */
function isParserFault(thrown: unknown): boolean {
  return (
    (thrown as Error | undefined)?.name === "HTTPParserError" || /^bad (response|upgrade)$/.test(messageOf(thrown))
  );
}
