/** Who a request comes from, by the token that it shows. */
import type { AuthInfo } from "@modelcontextprotocol/server";
import { clientOf, isSameToken } from "./bearer-token.js";

/** Milliseconds between two looks whether tokens were taken back. */
const CHECK_INTERVAL_MS = 5_000;

export interface TokenVerifierOptions {
  /** The server's own. */
  readonly token: string;
  /** The name of the client that a token was given to; undefined for one that nobody has, or has any more. */
  clientNamed?(token: string): Promise<string | undefined>;
  /** The token of a client that was here was taken back. */
  onRevoked(client: string): void;
  /** What goes wrong, for the operator. */
  onProblem(error: Error): void;
  /** Default 5000. */
  readonly checkIntervalMs?: number;
}

export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #own: AuthInfo;
  /** The tokens of the clients that were here. */
  readonly #known = new Map<string, string>();
  readonly #checking: NodeJS.Timeout;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
    this.#own = { token: "", clientId: clientOf(options.token), scopes: [] };
    const check = () => void this.#check().catch(options.onProblem);
    this.#checking = setInterval(check, options.checkIntervalMs ?? CHECK_INTERVAL_MS).unref();
  }

  /** Who shows this token; undefined when it lets nobody in. The token itself goes no further than here. */
  async clientFor(shown: string): Promise<AuthInfo | undefined> {
    const { token, clientNamed } = this.#options;
    if (isSameToken(shown, token)) return this.#own;
    if (shown === "" || (await clientNamed?.(shown)) === undefined) return undefined;
    const clientId = clientOf(shown);
    this.#known.set(clientId, shown);
    return { token: "", clientId, scopes: [], extra: { isLasting: true } };
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
