/** A machine that is reached over ssh. */
import type { Backend } from "../../kernel/index.js";
import { createPosixBackend, type PosixBackendOptions } from "../posix/index.js";
import { openSshConnection, type SshConnectionOptions } from "./ssh-connection.js";

/** Milliseconds that the remote shell has to answer once the connection is open. */
const SHELL_TIMEOUT_MS = 12_000;

export interface OpenSshOptions
  extends SshConnectionOptions,
    Partial<Omit<PosixBackendOptions, "open" | "name" | "machine" | "commandShell">> {}

/**
 * Opens a backend on another machine, through the system's OpenSSH client with the user's configuration, agent, jump hosts and known
 * hosts. It never asks for a password. Its login shell may be any; commands run in its `sh`.
 *
 * @throws `CONFIG_INVALID` for a destination that ssh must not see, `BACKEND_UNAVAILABLE` with the cause when it cannot be reached.
 */
export async function openSsh(options: OpenSshOptions): Promise<Backend> {
  const { destination, config, ...posix } = options;
  const connection = await openSshConnection({ destination, ...(config === undefined ? {} : { config }) });
  try {
    return await createPosixBackend({
      connectTimeoutMs: SHELL_TIMEOUT_MS,
      ...posix,
      name: connection.name,
      open: connection,
    });
  } catch (thrown) {
    await connection.close?.();
    throw thrown;
  }
}
