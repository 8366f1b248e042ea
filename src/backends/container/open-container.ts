/** Opens a running container as a machine. */
import type { Backend } from "../../kernel/index.js";
import { createPosixBackend, type PosixBackendOptions, REMOTE_CONNECT_MS } from "../posix/index.js";
import { inspectContainer, unusable } from "./container-state.js";
import { ContainerTransport, type InContainer } from "./container-transport.js";
import { type EngineOptions, findEngine } from "./engine.js";
import { checkContainerName, checkInContainer } from "./names.js";

export interface OpenContainerOptions extends InContainer, EngineOptions, PosixSettings {
  /** The name or id of a container that runs. */
  readonly name: string;
  /** The target, for messages. Default: "container:NAME". */
  readonly target?: string;
}

/** Settings of the POSIX backend that a container passes on; `cwd` is a directory in the container. */
export type PosixSettings = Partial<Omit<PosixBackendOptions, "name" | "machine" | "open">>;

/** A container that is open as a machine. */
export interface ContainerMachine {
  /** Closing it closes the transport too. */
  readonly backend: Backend;
  readonly transport: ContainerTransport;
}

/**
 * Opens a container that runs, by `docker exec` or `podman exec`. Needs a POSIX shell in it. Its working directory is that of
 * the container unless `cwd` names another.
 *
 * @throws `CONFIG_INVALID` for a name, user, directory or variable that cannot be one, before anything starts.
 * @throws `BACKEND_UNAVAILABLE` without an engine, and for a container that does not exist, does not run or has no shell.
 */
export async function openContainer(options: OpenContainerOptions): Promise<ContainerMachine> {
  const {
    name: container,
    target = `container:${container}`,
    user,
    env,
    engine: asked,
    engineEnv,
    workspace,
    ...rest
  } = options;
  checkContainerName(container);
  const as = checkInContainer({ user, env, cwd: rest.cwd });
  const engine = await findEngine({
    ...(asked === undefined ? {} : { engine: asked }),
    ...(engineEnv === undefined ? {} : { engineEnv }),
    ...(workspace === undefined ? {} : { workspace }),
  });
  const run = await inspectContainer(engine, target, container);
  const problem = unusable(engine, target, container, run);
  if (problem !== undefined) throw problem;
  const transport = new ContainerTransport({ target, engine, container, run, as });
  const settings = { connectTimeoutMs: REMOTE_CONNECT_MS, ...rest };
  return { backend: await createPosixBackend({ ...settings, name: target, open: transport }), transport };
}
