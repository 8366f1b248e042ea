import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SHELL, TAG_NAME } from "../../host/index.js";
import { systemCode } from "../../kernel/index.js";
import type { Launcher } from "../local/index.js";
import type { ArgumentsFile } from "./arguments-file.js";
import { boundaryOf } from "./boundary.js";
import { type Bubblewrap, type OpenedMount, sandboxArguments } from "./bubblewrap.js";
import { FORWARDER_SCRIPT, proxyEnvironment } from "./forwarder-script.js";
import type { HeldRoots } from "./held-roots.js";
import type { Mount, PrivateDirectories } from "./layout.js";

interface SandboxParts {
  readonly bubblewrap: Bubblewrap;
  readonly mounts: readonly Mount[];
  readonly own: PrivateDirectories;
  /** What commands may change. */
  readonly held: HeldRoots;
  readonly file: ArgumentsFile;
  readonly home: string;
  readonly hasProxy: boolean;
}

/** bwrap keeps descriptors 0 to 2 open itself, and no others. */
const WITH_INPUT = [SHELL, "-c", 'exec "$@" <&4 4<&-', "sh"];

/** Variables that lead to sockets and credentials of the user's session. */
const OF_THE_SESSION = /^(?:DBUS_|SSH_|GPG_|XAUTHORITY$|DISPLAY$|WAYLAND_|XDG_RUNTIME_DIR$|XDG_SESSION)/;

/** Starts the shell of each command in the sandbox. */
export function sandboxLauncher({ bubblewrap, mounts, own, held, file, home, hasProxy }: SandboxParts): Launcher {
  const { refusal, hidden } = boundaryOf(mounts);
  const open = mountOpener(mounts, held, [own.tmp, own.home]);
  const inherited = inheritedDescriptors();
  const forwarder = hasProxy ? [process.execPath, "-e", FORWARDER_SCRIPT, "--", join(own.net, "proxy")] : [];
  const added = {
    TMPDIR: own.tmp,
    ...(home === "/" ? { HOME: own.home } : {}),
    ...(hasProxy ? proxyEnvironment() : {}),
  };
  return {
    // bwrap reports a signal as a status over 128.
    flags: { sandbox: true, signals: false },
    scripts: own.scripts,
    refusal,
    hidden,
    wrap(argv, { cwd, env, hasInput }) {
      const hidden = refusal(cwd, "read");
      if (hidden !== undefined)
        return { problem: `the directory "${cwd}" cannot be used: ${hidden.replace(/\.$/, "")}` };
      const variables = Object.entries(env).filter(([name]) => name !== TAG_NAME && !OF_THE_SESSION.test(name));
      // In the file of arguments, what follows a NUL byte would be another argument of bwrap.
      const unusable = variables.find(([name, value]) => !/^[^=\0]+$/.test(name) || value.includes("\0"));
      if (unusable !== undefined)
        return {
          problem: `the variable ${JSON.stringify(unusable[0])} has no usable name, or a NUL byte in its value`,
        };
      const inside = { ...Object.fromEntries(variables), ...added };
      const descriptors: (number | "ignore" | "stdin")[] = hasInput ? ["ignore", "stdin"] : ["ignore"];
      const opened = open(descriptors);
      if ("problem" in opened) return opened;
      const start = { cwd, env: inside };
      const key = JSON.stringify([start, opened.mounts.map(({ descriptor }) => descriptor)]);
      descriptors[0] = opened.keep(() => file.open(key, () => sandboxArguments(bubblewrap, opened.mounts, start)));
      // What this process was started with, and Node.js does not close, becomes /dev/null.
      if (inherited.length > 0) {
        const nothing = opened.keep(() => openSync("/dev/null", "r"));
        for (const descriptor of inherited) {
          while (descriptors.length + 3 < descriptor) descriptors.push("ignore");
          descriptors[descriptor - 3] ??= nothing;
        }
      }
      return {
        argv: [bubblewrap.program, "--args", "3", "--", ...(hasInput ? WITH_INPUT : []), ...forwarder, ...argv],
        env: { PATH: "/usr/bin:/bin", [TAG_NAME]: env[TAG_NAME] ?? "" },
        descriptors,
        dispose: opened.close,
      };
    },
  };
}

interface Opened {
  readonly mounts: readonly OpenedMount[];
  /** Opens one more; if that fails, all are closed. */
  keep(open: () => number): number;
  close(): void;
}

/**
 * Opens the sources of the mounts for one command, and adds their descriptors to those that it inherits.
 * @param fixed - Sources that need none, as no command can change the directory that they are in.
 */
function mountOpener(mounts: readonly Mount[], held: HeldRoots, fixed: readonly string[]) {
  const left = new Set(mounts);
  return (descriptors: (number | "ignore" | "stdin")[]): Opened | { readonly problem: string } => {
    const own: number[] = [];
    const close = () => {
      for (const descriptor of own.splice(0)) closeSync(descriptor);
    };
    const keep = <T extends number | undefined>(open: () => T): T => {
      try {
        const descriptor = open();
        if (descriptor !== undefined) own.push(descriptor);
        return descriptor;
      } catch (thrown) {
        close();
        throw thrown;
      }
    };
    const [moved] = held.moved();
    if (moved !== undefined)
      return { problem: `"${moved}" was moved or removed since the sandbox was opened. Start Haft again` };
    const opened: OpenedMount[] = [];
    for (const mount of left) {
      const isPath = mount.how === "empty" || mount.how === "symlink" || fixed.includes(mount.source);
      if (isPath || !held.has(mount.source)) {
        opened.push({ ...mount, descriptor: undefined });
        continue;
      }
      let descriptor: number | undefined;
      try {
        descriptor = keep(() => held.open(mount.source));
      } catch (thrown) {
        if (systemCode(thrown) !== "EACCES") throw thrown;
        return { problem: `permission denied on "${mount.source}". Restore its permissions outside of the sandbox` };
      }
      if (descriptor !== undefined) {
        opened.push({ ...mount, descriptor: descriptors.push(descriptor) + 2 });
      } else if (mount.optional) {
        // A command may create it now: it is not mounted again.
        left.delete(mount);
      } else {
        close();
        return {
          problem: `"${mount.source}", which the sandbox protects, was removed or replaced since it was opened. Start Haft again`,
        };
      }
    }
    return { mounts: opened, keep, close };
  };
}

const CLOSES_ON_EXEC = 0o2000000;

/** Descriptors of this process that its children would inherit. */
function inheritedDescriptors(): readonly number[] {
  const all = readdirSync("/proc/self/fd")
    .map(Number)
    .sort((one, other) => one - other);
  return all.filter((descriptor) => {
    try {
      const info = readFileSync(join("/proc/self/fdinfo", String(descriptor)), "latin1");
      const flags = Number.parseInt(/flags:\s+(\d+)/.exec(info)?.[1] ?? "0", 8);
      return descriptor > 2 && (flags & CLOSES_ON_EXEC) === 0;
    } catch {
      // The descriptor of the listing itself.
      return false;
    }
  });
}
