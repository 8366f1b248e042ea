import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SHELL, TAG_NAME } from "../../host/index.js";
import type { Launcher } from "../local/index.js";
import { argumentsFile } from "./arguments-file.js";
import { boundaryOf } from "./boundary.js";
import { type Bubblewrap, commandArguments, sandboxArguments } from "./bubblewrap.js";
import { FORWARDER_SCRIPT, proxyEnvironment } from "./forwarder-script.js";
import type { Mount, PrivateDirectories } from "./layout.js";
import { protectedPathsOf } from "./protected-paths.js";

interface SandboxParts {
  readonly bubblewrap: Bubblewrap;
  readonly mounts: readonly Mount[];
  readonly own: PrivateDirectories;
  /** What commands may change. */
  readonly roots: readonly string[];
  readonly home: string;
  readonly hasProxy: boolean;
}

/** bwrap keeps descriptors 0 to 2 open itself, and no others. */
const WITH_INPUT = [SHELL, "-c", 'exec "$@" <&4 4<&-', "sh"];

/** Variables that lead to sockets and credentials of the user's session. */
const OF_THE_SESSION = /^(?:DBUS_|SSH_|GPG_|XAUTHORITY$|DISPLAY$|WAYLAND_|XDG_RUNTIME_DIR$|XDG_SESSION)/;

/** Starts the shell of each command in the sandbox. */
export function sandboxLauncher({ bubblewrap, mounts, own, roots, home, hasProxy }: SandboxParts): Launcher {
  const fixed = sandboxArguments(bubblewrap, mounts);
  const { refusal } = boundaryOf(mounts, own, () => protectedPathsOf(roots));
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
    wrap(argv, { cwd, env, hasInput }) {
      const hidden = refusal(cwd, "read");
      if (hidden !== undefined)
        return { problem: `the directory "${cwd}" cannot be used: ${hidden.replace(/\.$/, "")}` };
      const paths = protectedPathsOf(roots);
      if ("problem" in paths) return paths;
      const variables = Object.entries(env).filter(([name]) => !OF_THE_SESSION.test(name));
      const inside = { ...Object.fromEntries(variables), ...added };
      const file = argumentsFile([...fixed, ...commandArguments(paths, { cwd, env: inside })]);
      const nothing = inherited.length === 0 ? undefined : openSync("/dev/null", "r");
      const descriptors: (number | "ignore" | "stdin")[] = hasInput ? [file, "stdin"] : [file];
      // What this process was started with, and Node.js does not close, becomes /dev/null.
      for (const descriptor of inherited) {
        while (descriptors.length + 3 < descriptor) descriptors.push("ignore");
        descriptors[descriptor - 3] ??= nothing!;
      }
      return {
        argv: [bubblewrap.program, "--args", "3", "--", ...(hasInput ? WITH_INPUT : []), ...forwarder, ...argv],
        env: { PATH: "/usr/bin:/bin", [TAG_NAME]: env[TAG_NAME] ?? "" },
        descriptors,
        dispose() {
          closeSync(file);
          if (nothing !== undefined) closeSync(nothing);
        },
      };
    },
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
