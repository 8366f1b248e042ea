/** What the target `sandbox` is opened with. */
import { type Backend, HaftError } from "../kernel/index.js";
import { hostMatcher } from "../policy/index.js";

/** What commands in a sandbox reach beside the workspace and the programs of the system. */
export interface SandboxSettings {
  /** Hosts that commands may connect to with HTTP: "packages.example.com", "*.example.com". Default: none; there is no network. */
  readonly hosts?: readonly string[];
  /** Directories that commands may change; absolute. */
  readonly writable?: readonly string[];
  /** Files and directories that commands may read; absolute. */
  readonly readable?: readonly string[];
}

interface OpenOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stateDir?: string;
  readonly sandbox?: SandboxSettings;
}

/** @throws `BACKEND_UNAVAILABLE`, `CONFIG_INVALID` */
export async function openSandbox({ cwd, env, stateDir, sandbox = {} }: OpenOptions): Promise<Backend> {
  const { hosts = [], writable, readable } = sandbox;
  const wrong = hosts.find((host) => hostMatcher(host) === undefined);
  if (wrong !== undefined)
    throw new HaftError(
      "CONFIG_INVALID",
      `Did not open "sandbox": ${JSON.stringify(wrong)} is not a host. Write it as "example.com" or "*.example.com", without scheme and port.`,
    );
  const [{ createSandboxBackend }, { hostGuard }] = await Promise.all([
    import("../backends/sandbox/index.js"),
    import("../policy/host-guard.js"),
  ]);
  return createSandboxBackend({
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(writable === undefined ? {} : { writable }),
    ...(readable === undefined ? {} : { readable }),
    ...(hosts.length === 0 ? {} : { hosts: hostGuard(hosts) }),
  });
}
