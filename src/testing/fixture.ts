/** What a conformance case works on: one backend, one new directory, and files that the Fs port cannot create. */
import {
  type Backend,
  type BoundCall,
  type Clock,
  EMPTY_GRANT,
  type Grant,
  HaftError,
  JOB_ACTIONS,
  type Place,
  type Ports,
} from "../kernel/index.js";
import { normalizePath, posixQuote } from "../text/index.js";

/** A file that no port can create. Paths are absolute. */
export type Plant =
  /** A symlink; an existing non-directory at `path` is replaced atomically. */
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** Another hard link to the file `of`. */
  | { readonly kind: "hard-link"; readonly path: string; readonly of: string }
  | { readonly kind: "fifo"; readonly path: string }
  | { readonly kind: "mode"; readonly path: string; readonly mode: number };

/** What a case of the file, shell and search suites works on. */
export interface Fixture {
  readonly backend: Backend;
  /** A real path (no symlink in it), empty, writable, used by no other case. Cases create everything below it. */
  readonly directory: string;
  /** The clock that the backend runs on. */
  readonly clock: Clock;
  /** Absent if the platform has none; list the cases that need it under `cannot`. */
  plant?(what: Plant): Promise<void>;
  /**
   * Opens another backend of the same kind, on the same machine and with the same stored jobs, for a case that closes it. If absent,
   * list the cases of `backendSuite` under `cannot`.
   */
  openAnother?(): Promise<Backend>;
  /** Called once after the case, also if it failed. Removes the directory; may keep the backend open for the next case. */
  dispose(): Promise<void>;
}

/** @throws Error that names the first member that is missing or of a wrong form. */
export function requireFixture(fixture: Fixture): void {
  const { backend, directory, clock }: Partial<Fixture> = fixture ?? {};
  const wrong = (what: string) => new Error(`\`create\` has to return a fixture with ${what}.`);
  if (typeof backend?.bind !== "function") throw wrong("`backend`, what `completeBackend` or `openBackend` returns");
  if (typeof directory !== "string" || !directory.startsWith("/") || normalizePath(directory) !== directory)
    throw wrong(`\`directory\`, an absolute path without a slash at its end, not ${JSON.stringify(directory)}`);
  if (typeof clock?.now !== "function" || typeof clock.timer !== "function")
    throw wrong("`clock`, the clock of the backend, such as `systemClock`");
}

/** Why no case can work in the directory of the fixture; undefined if one can. */
export async function fixtureProblem({ backend, directory }: Fixture): Promise<string | undefined> {
  try {
    const [found] = await backend.root.fs.resolve([directory]);
    if (found === undefined) return undefined;
    const { kind, real } = found;
    if (kind !== "directory") return `\`directory\` of the fixture is "${directory}": create it, it is ${kind}.`;
    return real === directory
      ? undefined
      : `\`directory\` of the fixture is "${directory}": return its real path, "${real}".`;
  } catch {
    return undefined;
  }
}

const EVERYTHING: Place = { path: "/", access: ["read", "write", "create", "delete"], scope: "tree" };
const CALL_MS = 180_000;

/**
 * Ports for one call. Without `grant` they may access every file and run no command, but use every job; `commands` are compared exactly.
 * Without `call` it ends after 180 s, and a real path or directory outside the grant is denied.
 */
export function bindAll(
  on: Pick<Fixture, "backend" | "clock">,
  grant: Partial<Grant> = {},
  call: Partial<BoundCall> = {},
): Ports {
  const whole: Grant = {
    ...EMPTY_GRANT,
    id: "conformance",
    files: [EVERYTHING],
    jobs: [{ id: "*", actions: JOB_ACTIONS }],
    ...grant,
  };
  return on.backend.bind(whole, {
    id: "call-conformance",
    sessionId: "session-conformance",
    signal: new AbortController().signal,
    deadline: on.clock.now() + CALL_MS,
    authorizeRealPath: async () => ({
      effect: "deny",
      rule: "conformance",
      risk: "high",
      reason: "Nothing outside is allowed here.",
    }),
    authorizeDirectory: async () => ({
      effect: "deny",
      rule: "conformance",
      risk: "high",
      reason: "Nothing outside is allowed here.",
    }),
    ...call,
  });
}

/** A grant for one directory and its contents. */
export function treeGrant(
  path: string,
  access: Place["access"] = EVERYTHING.access,
  extra: Partial<Grant> = {},
): Partial<Grant> {
  return { files: [{ path, access, scope: "tree" }], ...extra };
}

/** Creates what a case needs; fails if the fixture cannot. */
export async function plant(fixture: Fixture, what: Plant): Promise<void> {
  if (fixture.plant === undefined) {
    throw new Error(`This fixture has no \`plant\`: add it, or list the case under \`cannot\` (needs a ${what.kind}).`);
  }
  await fixture.plant(what);
}

/** A `plant` by the unguarded shell of the backend, for machines with `ln`, `mv`, `mkfifo` and `chmod`. */
export function plantByShell(backend: Backend): (what: Plant) => Promise<void> {
  return async (what) => {
    const path = posixQuote(what.path);
    const command = {
      link: () => {
        const beside = posixQuote(`${what.path}.planting`);
        return `ln -s -- ${posixQuote((what as { target: string }).target)} ${beside} && mv -fT -- ${beside} ${path}`;
      },
      "hard-link": () => `ln -- ${posixQuote((what as { of: string }).of)} ${path}`,
      fifo: () => `mkfifo -- ${path}`,
      mode: () => `chmod ${(what as { mode: number }).mode.toString(8)} ${path}`,
    }[what.kind]();
    const result = await backend.root.shell.exec(command, { cwd: "/" });
    if (result.exit.by === "code" && result.exit.code === 0) return;
    throw new HaftError("FS_IO", `Did not plant "${what.path}": ${new TextDecoder().decode(result.stderr.head)}`);
  };
}
