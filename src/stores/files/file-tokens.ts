/** The tokens of clients, one per client, stored as digests. */
import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { HaftError, type Locks } from "../../kernel/index.js";
import { isTimestampMs } from "../timestamp.js";
import { fileStore } from "./file-store.js";
import type { StateDirectory } from "./state-directory.js";

/** 256 random bits cannot be guessed, so a plain digest is safe to store. */
const TOKEN_BYTES = 32;
/** A fixed prefix, by which secret scanners recognize a leaked token. */
const TOKEN_PREFIX = "haft_";
const TOKEN = /^haft_[A-Za-z0-9_-]{43}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const KEY = "tokens";

/** What is stored of a client's token. The token itself is not. */
export interface ClientToken {
  readonly name: string;
  readonly createdMs: number;
}

interface StoredToken extends ClientToken {
  /** SHA-256 of the token, hex. */
  readonly digest: string;
}

export interface TokenStore {
  /**
   * Creates a token for a client of this name. It is returned here only.
   *
   * @param token - One that another host has created, for the same client. Default: a new one.
   * @throws `CONFIG_INVALID` for an invalid name or token, `STORE_CONFLICT` if the name has a token, `STORE_UNWRITABLE`
   */
  add(name: string, token?: string): Promise<string>;
  /** Sorted by name. @throws `STORE_CONFLICT` if the file is not valid JSON. */
  list(): Promise<readonly ClientToken[]>;
  /** The token is rejected from now on. False if there is none of this name. @throws `STORE_UNWRITABLE` */
  remove(name: string): Promise<boolean>;
  /**
   * The name of a token; undefined if it is unknown, or if the file is not valid JSON. Reads the file again whenever it has
   * changed.
   *
   * @throws `STORE_CONFLICT` when the file cannot be read, so that it is unknown whether the token is valid.
   */
  holderOf(token: string): Promise<string | undefined>;
}

/** The tokens in `<state>/tokens.json`, mode 0600. */
export function fileTokens(state: StateDirectory, locks: Locks, now: () => number = Date.now): TokenStore {
  const store = fileStore(state, [], locks);
  const path = join(state.path, `${KEY}.json`);
  let known: { readonly version: string; readonly names: ReadonlyMap<string, string> } | undefined;

  const stored = async (): Promise<readonly StoredToken[]> => readTokens(await store.get(KEY));

  return {
    async add(name, token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString("base64url")}`) {
      if (!NAME.test(name))
        throw new HaftError(
          "CONFIG_INVALID",
          `Did not add a token for "${name}": a name has 1 to 64 letters, digits, ".", "_" or "-", and begins with a letter or digit.`,
        );
      if (!TOKEN.test(token))
        throw new HaftError(
          "CONFIG_INVALID",
          `Did not add a token for "${name}": the given text is none that \`haft token add\` has printed.`,
        );
      await store.update(KEY, (old) => {
        const tokens = readTokens(old);
        if (tokens.some((one) => one.name === name))
          throw new HaftError(
            "STORE_CONFLICT",
            `Did not add a token for "${name}": this name already has one. Remove it first with \`haft token remove ${name}\`, or choose another name.`,
          );
        return { tokens: [...tokens, { name, createdMs: now(), digest: digestOf(token) }] };
      });
      return token;
    },
    async list() {
      const tokens = (await stored()).map(({ name, createdMs }) => ({ name, createdMs }));
      return tokens.sort((one, other) => (one.name < other.name ? -1 : 1));
    },
    async remove(name) {
      let found = false;
      if (!(await stored()).some((one) => one.name === name)) return false;
      await store.update(KEY, (old) => {
        const tokens = readTokens(old);
        found = tokens.some((one) => one.name === name);
        return { tokens: tokens.filter((one) => one.name !== name) };
      });
      return found;
    },
    async holderOf(token) {
      const version = versionOf(path);
      if (version === undefined) return undefined;
      if (known?.version !== version) {
        const tokens = await stored().catch(emptyIfDamaged);
        known = { version, names: new Map(tokens.map(({ digest, name }) => [digest, name])) };
      }
      return known.names.get(digestOf(token));
    },
  };
}

function readTokens(document: unknown): readonly StoredToken[] {
  const { tokens } = (document ?? {}) as { readonly tokens?: unknown };
  return Array.isArray(tokens) ? tokens.filter(isStored) : [];
}

function isStored(value: unknown): value is StoredToken {
  const { name, digest, createdMs } = (value ?? {}) as Partial<StoredToken>;
  return typeof name === "string" && typeof digest === "string" && isTimestampMs(createdMs);
}

function emptyIfDamaged(error: unknown): readonly StoredToken[] {
  if (HaftError.is(error) && error.cause instanceof SyntaxError) return [];
  throw error;
}

/** Differs after each change, since the file is always replaced. */
function versionOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
