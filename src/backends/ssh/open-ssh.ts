/** A machine that is reached over ssh. */
import type { Backend } from "../../kernel/index.js";
import { createPosixBackend, type PosixBackendOptions, REMOTE_CONNECT_MS, type Transport } from "../posix/index.js";
import { type SshConnectionOptions, sshConnection } from "./ssh-connection.js";

export interface OpenSshOptions
  extends SshConnectionOptions,
    Partial<Omit<PosixBackendOptions, "open" | "name" | "machine" | "commandShell">> {}

/** A machine over ssh that is open. Closing the backend closes the connection. */
export interface SshMachine {
  readonly backend: Backend;
  readonly transport: Transport;
}

/**
 * Opens a backend on another machine, through the system's OpenSSH client with the user's configuration, agent, jump hosts and known
 * hosts. It never asks for a password. Its login shell may be any; commands run in its `sh`.
 *
 * @throws `CONFIG_INVALID` for a destination that ssh must not see, `BACKEND_UNAVAILABLE` with the cause when it cannot be reached.
 */
export async function openSsh(options: OpenSshOptions): Promise<Backend> {
  return (await openSshMachine(options)).backend;
}

/** As `openSsh`, with what starts other programs over the same connection. */
export async function openSshMachine(options: OpenSshOptions): Promise<SshMachine> {
  const { destination, config, ...posix } = options;
  const transport = sshConnection({ destination, ...(config === undefined ? {} : { config }) });
  try {
    const backend = await createPosixBackend({
      connectTimeoutMs: REMOTE_CONNECT_MS,
      ...posix,
      name: transport.name,
      open: transport,
    });
    return { backend, transport };
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
}
