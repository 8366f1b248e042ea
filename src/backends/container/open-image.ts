/** A container made for the session, with the workspace mounted; it is removed with the session, also when this process is killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { type HostIdentity, homeDirectory, isHostAlive, ownHostIdentity, processExists } from "../../host/index.js";
import { HaftError, isWithin } from "../../kernel/index.js";
import { createPosixBackend, REMOTE_CONNECT_MS } from "../posix/index.js";
import { containerFault, engineFault, inspectContainer } from "./container-state.js";
import { ContainerTransport, type InContainer } from "./container-transport.js";
import { type Engine, type EngineOptions, findEngine, runEngine } from "./engine.js";
import { checkImageName, checkInContainer } from "./names.js";
import type { ContainerMachine, PosixSettings } from "./open-container.js";

export interface OpenImageOptions extends InContainer, EngineOptions, PosixSettings {
  /** An image that is on this machine. */
  readonly image: string;
  /** The directory that is mounted, at the same path; absolute. Commands start there unless `cwd` names another. */
  readonly workspace: string;
  /** Whether it has the network that the engine gives by default. Default false: none. */
  readonly network?: boolean;
  /** The target, for messages. Default: "image:IMAGE". */
  readonly target?: string;
}

/** Names the process that a container belongs to. */
const LABEL = "haft.host";
/**
 * Longer than a call waits for its target: the first start of a large image may take a minute, in which podman copies it for this
 * user, and the next one finds what was copied.
 */
const START_MS = 60_000;
const REMOVE_MS = 30_000;

/**
 * Starts a container of an image for this session: the workspace is mounted at its own path, no new privileges, no network
 * unless asked for. Nothing is downloaded. Removes containers that processes of this machine have left behind.
 *
 * @throws `CONFIG_INVALID` for an image, workspace, user or variable that cannot be one.
 * @throws `BACKEND_UNAVAILABLE` without an engine or the image, and for an image without a shell.
 */
export async function openImage(options: OpenImageOptions): Promise<ContainerMachine> {
  const {
    image,
    workspace,
    network = false,
    target = `image:${image}`,
    user,
    env,
    engine: asked,
    engineEnv,
    ...rest
  } = options;
  checkImageName(image);
  checkWorkspace(workspace);
  const given = checkInContainer({ user, env, cwd: rest.cwd });
  const engine = await findEngine({
    workspace,
    ...(asked === undefined ? {} : { engine: asked }),
    ...(engineEnv === undefined ? {} : { engineEnv }),
  });
  await removeLeftovers(engine, target);

  const container = `haft-${randomBytes(9).toString("hex")}`;
  const { options: owner, as } = ownedByUser(engine, given);
  const remover = startRemover(engine, container);
  const close = () => endRemover(remover, engine, target, container);
  try {
    const { code, stderr } = await runEngine(
      engine,
      [
        ...["run", "--detach", "--rm", "--init", "--pull", "never", "--name", container],
        ...["--label", `${LABEL}=${ownLabel(container)}`, "--stop-signal", "SIGKILL", "--stop-timeout", "0"],
        // Without this the workspace cannot be read on a machine with SELinux, unless its files are relabelled.
        ...["--security-opt", "no-new-privileges", "--security-opt", "label=disable"],
        ...["--mount", `type=bind,source=${workspace},target=${workspace}`, ...(network ? [] : ["--network", "none"])],
        ...[...owner, "--entrypoint", "sh", image, "-c", "while sleep 3600; do :; done"],
      ],
      START_MS,
    );
    remover.stdin?.write("started\n");
    if (code !== 0) throw notStarted(engine, { target, image, workspace }, stderr);
    const run = await inspectContainer(engine, target, container);
    const transport = new ContainerTransport({ target, engine, container, run, as, close });
    // Without the flag "sandbox": commands may write what git and editors of this machine obey, such as .git/hooks.
    const backend = await createPosixBackend({
      cwd: workspace,
      copyRipgrep: true,
      connectTimeoutMs: REMOTE_CONNECT_MS,
      ...rest,
      name: target,
      open: transport,
    });
    return { backend, transport };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function checkWorkspace(workspace: string): void {
  const why = !workspace.startsWith("/")
    ? "it is not an absolute path"
    : workspace === "/"
      ? "all of this machine cannot be mounted over the image"
      : isHome(workspace)
        ? "it is or contains your home directory, with keys and settings that commands must not see"
        : /[,"\n\0]/.test(workspace)
          ? "a path with a comma, a quote or a line break cannot be mounted"
          : existsSync(workspace)
            ? undefined
            : "it does not exist";
  if (why === undefined) return;
  throw new HaftError("CONFIG_INVALID", `Cannot mount the workspace ${JSON.stringify(workspace)}: ${why}.`);
}

function isHome(workspace: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path);
  return isWithin(real(workspace), real(homeDirectory()));
}

/** What is written into the workspace belongs to the user of this process, not to root. On macOS the engine sees to that. */
function ownedByUser(
  engine: Engine,
  as: InContainer,
): { readonly options: readonly string[]; readonly as: InContainer } {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (as.user !== undefined || uid === 0 || process.platform !== "linux") return { options: [], as };
  // Without root, podman's root is this user already; an image whose user is another gets this one as itself.
  if (engine.name === "podman") return { options: ["--userns", "keep-id"], as: { ...as, user: `${uid}:${gid}` } };
  return { options: [], as: { user: `${uid}:${gid}`, env: { HOME: "/tmp", ...as.env } } };
}

function notStarted(
  engine: Engine,
  { target, image, workspace }: { readonly target: string; readonly image: string; readonly workspace: string },
  stderr: string,
): HaftError {
  const fault = (why: string, advice: string) => containerFault({ target, fault: "engine" }, why, advice);
  if (/bind source path does not exist|statfs .*: no such file/i.test(stderr)) {
    return fault(
      `${engine.name} does not have the workspace "${workspace}"`,
      "It may run on another machine, or in a VM that does not share that directory: share it, or use an engine of this machine.",
    );
  }
  if (/no such image|image not known|unable to find image|repository does not exist/i.test(stderr)) {
    return fault(`the image "${image}" is not on this machine`, `Get it: \`${engine.name} pull ${image}\`.`);
  }
  if (/init binary|catatonit/i.test(stderr)) {
    return fault("podman has no init program", "Install catatonit.");
  }
  if (/"sh".*executable file not found|executable file .?sh.? not found/i.test(stderr)) {
    return fault(`the image "${image}" has no \`sh\``, "Use an image that has a POSIX shell.");
  }
  return engineFault(engine, target, stderr);
}

/**
 * A process that removes the container when its stdin ends: at the end of the session, and when this process is gone in
 * whatever way. `--rm` alone removes only what has ended. Without a line on stdin the client that starts the container may still be doing
 * that, so it is waited for, for as long as a start may take.
 */
function startRemover(engine: Engine, container: string): ChildProcess {
  const script = `started=; while read -r line; do started=$line; done
    for seconds in 1 4 15 40; do [ -z "$started" ] && ! "$0" inspect --type container "$1" || break; sleep "$seconds"; done
    exec "$0" rm --force "$1"`;
  const remover = spawn("/bin/sh", ["-c", script, engine.program, container], {
    env: engine.env,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  remover.on("error", () => {});
  remover.stdin?.on("error", () => {});
  remover.unref();
  (remover.stdin as unknown as { unref(): void }).unref();
  return remover;
}

/** Resolves when the container is gone. */
async function endRemover(remover: ChildProcess, engine: Engine, target: string, container: string): Promise<void> {
  if (remover.exitCode === null && remover.signalCode === null && remover.pid !== undefined) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REMOVE_MS);
      remover.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      remover.stdin?.end();
    });
  }
  if (remover.exitCode === 0) return;
  // Somebody may have killed the remover.
  const { code, stderr } = await runEngine(engine, ["rm", "--force", container], REMOVE_MS);
  if (code === 0 || /no such container|no container with/i.test(stderr)) return;
  throw engineFault(engine, target, stderr);
}

/** This process, as a label: its machine as well, for an engine may serve several, and the container, for an image that is made of it inherits the label. */
function ownLabel(container: string): string {
  const { boot, space, start } = ownHostIdentity() ?? { boot: "", space: "", start: 0 };
  return JSON.stringify({ container, machine: hostname(), pid: process.pid, start, boot, space });
}

/**
 * Removes containers whose process on this machine is certainly gone. Where that is not certain it stays.
 * @throws `BACKEND_UNAVAILABLE` if the engine does not answer.
 */
async function removeLeftovers(engine: Engine, target: string): Promise<void> {
  const question = ["ps", "--all", "--quiet", "--no-trunc", "--filter", `label=${LABEL}`];
  const { code, stdout, stderr } = await runEngine(engine, question);
  // What starts a container would wait for it much longer.
  if (code === null) throw engineFault(engine, target, stderr);
  const ids = stdout.split("\n").filter((id) => /^[0-9a-f]{12,64}$/.test(id));
  if (ids.length === 0) return;
  const format = `{{.Id}} {{.Name}} {{index .Config.Labels "${LABEL}"}}`;
  const labels = await runEngine(engine, ["inspect", "--type", "container", "--format", format, ...ids]);
  const dead = labels.stdout.split("\n").flatMap((line) => {
    const [, id = "", name = "", label = ""] = /^(\S+) \/?(\S+) (.*)$/.exec(line) ?? [];
    return ids.includes(id) && OWN_NAME.test(name) && isOfDeadHost(name, label) ? [id] : [];
  });
  if (dead.length > 0) await runEngine(engine, ["rm", "--force", ...dead], REMOVE_MS);
}

const OWN_NAME = /^haft-[0-9a-f]{18}$/;

interface Owner extends HostIdentity {
  readonly container: string;
  readonly machine: string;
}

function isOfDeadHost(container: string, label: string): boolean {
  try {
    const owner = JSON.parse(label) as Partial<Owner>;
    const boot = ownHostIdentity()?.boot ?? "";
    // Another boot may be another machine of the same name.
    if (owner.container !== container || owner.machine !== hostname() || owner.boot !== boot) return false;
    if (typeof owner.pid !== "number") return false;
    // Without /proc there is only the pid.
    return boot === "" ? !processExists(owner.pid) : isHostAlive(owner as HostIdentity) === false;
  } catch {
    return false;
  }
}
