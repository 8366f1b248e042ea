/** Identifies the client of a request by its token. */
import type { AuthInfo } from "@modelcontextprotocol/server";
import { clientOf, isSameToken } from "./bearer-token.js";

/** Milliseconds between two checks for revoked tokens. */
const TOKEN_CHECK_MS = 5_000;

interface TokenVerifierOptions {
  /** The server's own. */
  readonly token: string;
  /** Whether other servers accept the tokens of clients too, and continue their sessions. */
  readonly isShared?: boolean;
  /** The name of the client that a token was issued to; undefined if it is unknown or revoked. */
  clientNamed?(token: string): Promise<string | undefined>;
  /** The token of a client that has connected was revoked. */
  onRevoked(client: string): void;
  /** Errors, for the operator. */
  onProblem(error: Error): void;
  /** Default 5000. */
  readonly checkIntervalMs?: number;
}

export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #own: AuthInfo;
  /** Client id → token, of the clients that have connected. */
  readonly #known = new Map<string, string>();
  readonly #checking: NodeJS.Timeout;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
    this.#own = { token: "", clientId: clientOf(options.token), scopes: [], extra: { stateOwner: null } };
    const check = () => void this.#check().catch(options.onProblem);
    this.#checking = setInterval(check, options.checkIntervalMs ?? TOKEN_CHECK_MS).unref();
  }

  /** The client of this token; undefined if it is not valid. The token itself is not passed on. */
  async clientFor(shown: string): Promise<AuthInfo | undefined> {
    const { token, clientNamed } = this.#options;
    if (isSameToken(shown, token)) return this.#own;
    const name = shown === "" ? undefined : await clientNamed?.(shown);
    if (name === undefined) return undefined;
    const clientId = clientOf(shown);
    this.#known.set(clientId, shown);
    const isShared = this.#options.isShared === true;
    return { token: "", clientId, scopes: [], extra: { isLasting: true, isShared, stateOwner: name } };
  }

  close(): void {
    clearInterval(this.#checking);
  }

  async #check(): Promise<void> {
    for (const [client, token] of this.#known) {
      if ((await this.#options.clientNamed?.(token)) !== undefined) continue;
      this.#known.delete(client);
      this.#options.onRevoked(client);
    }
  }
}
