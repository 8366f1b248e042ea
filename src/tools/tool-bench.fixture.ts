/** A box of the raw tools over a real backend, in which a call shows the tool's own result instead of a dialect's text. */

import { createMemoryBackend, type MemoryBackendOptions } from "../backends/memory/index.js";
import {
  type AnyPresenter,
  type Artifacts,
  type Backend,
  createHostContext,
  type DefinedTool,
  type Dialect,
  type Framework,
  type Fs,
  grantFor,
  type HostServices,
  type Json,
  type Policy,
  presentTool,
  type Session,
  type ToolEvent,
  type ToolOutcome,
  type ToolResult,
  targetOf,
} from "../kernel/index.js";
import { documentSession } from "../stores/index.js";
import { memoryArtifacts, memoryLocalSession, memoryLocks } from "../stores/memory/index.js";
import { bareHost } from "../testing/fakes/bare-host.fixture.js";
import { builtinTools } from "./index.js";

interface ShownCall<Data> extends ToolResult<Data> {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly status: ToolOutcome["status"];
}

interface BenchOptions {
  readonly backend: Backend;
  readonly workspace?: string;
  readonly session?: Session;
  readonly framework?: Framework;
  readonly host?: Partial<HostServices>;
  readonly onEvent?: (event: ToolEvent) => void;
}

export interface ToolBench {
  readonly backend: Backend;
  readonly session: Session;
  /** Runs the tool of this name; `limits` are laid over its own. */
  call<Data = Record<string, unknown>>(
    tool: string,
    input: unknown,
    limits?: object,
    signal?: AbortSignal,
  ): Promise<ShownCall<Data>>;
  /** The bytes of a file as a string of one character a byte. */
  bytes(path: string): Promise<string>;
  put(path: string, content: string | Uint8Array): Promise<void>;
}

export function memoryBench(
  files: NonNullable<MemoryBackendOptions["files"]> = {},
  options: Partial<BenchOptions> = {},
): ToolBench {
  return toolBench({ backend: createMemoryBackend({ files }), ...options });
}

export function toolBench(options: BenchOptions): ToolBench {
  const { backend } = options;
  const base = bareHost();
  const host: HostServices = { ...base, locks: memoryLocks(base.clock), ...options.host };
  const workspace = options.workspace ?? backend.cwd;
  const session = options.session ?? newSession("bench");
  const inWorkspace = (path: string) => (path.startsWith("/") ? path : `${workspace}/${path}`);
  return {
    backend,
    session,
    async call(name, input, limits, signal) {
      const tool = builtinTools.find((one) => one.name === name)!;
      const context = createHostContext({
        host,
        session,
        target: targetOf(backend),
        cwd: workspace,
        workspace,
        framework: options.framework ?? {},
        ...(signal === undefined ? {} : { signal }),
        ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
      });
      const outcome = await shown(tool, limits).invoke({ id: "call", name, input }, context);
      // A failure before the presenter runs, such as bad arguments, is returned as text.
      const result = typeof outcome.output === "string" ? { message: outcome.output } : (outcome.output as object);
      return { ...result, isError: outcome.isError, status: outcome.status, code: outcome.code } as never;
    },
    async bytes(path) {
      const bytes = await backend.root.fs.readBytes(inWorkspace(path));
      return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    },
    put: (path, content) => backend.root.fs.writeFile(inWorkspace(path), content),
  };
}

/** A bench in which another program writes once, as soon as the first backup begins. */
export function racedBench(
  backend: Backend,
  workspace: string,
  meanwhile: (bench: ToolBench) => Promise<void>,
): ToolBench {
  const session = newSession("raced");
  let isDone = false;
  const artifacts: Artifacts = {
    ...session.artifacts,
    async create(about) {
      const writer = await session.artifacts.create(about);
      if (!isDone) await meanwhile(bench);
      isDone = true;
      return writer;
    },
  };
  const bench = toolBench({ backend, workspace, session: { ...session, artifacts } });
  return bench;
}

export function newSession(id: string, artifacts?: Artifacts): Session {
  const { clock, ids, state } = bareHost();
  const local = memoryLocalSession(artifacts ?? memoryArtifacts({ ids, now: clock.now }));
  return documentSession({ state, id, isTemporary: true, now: clock.now, openLocal: () => local });
}

/** Allows everything but `except`, absolute paths that a search leaves out and counts. */
export function allowExcept(...except: readonly string[]): Policy {
  return {
    name: "secrets",
    decide: (claims) => ({
      effect: "allow",
      rule: "all",
      risk: "low",
      reason: "",
      grant: grantFor("g", claims, { except }),
    }),
  };
}

/** The same backend with some file operations replaced; `real` is the original port. */
export function withFs(backend: Backend, change: (real: Fs) => Partial<Fs>): Backend {
  const bind: Backend["bind"] = (grant, call) => {
    const ports = backend.bind(grant, call);
    const changed = change(ports.fs);
    const fs = new Proxy(ports.fs, {
      get(target, name) {
        const value: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    return { ...ports, fs };
  };
  return { ...backend, bind };
}

const PLAIN: Dialect = {
  name: "plain",
  tools: {},
  collections: {},
  unknownParameter: "refuse",
  unknownTool: (name) => name,
  envelope: (outcome) => outcome,
};

function shown(tool: DefinedTool, limits: object | undefined): DefinedTool {
  const presenter: AnyPresenter = {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    ...(limits === undefined ? {} : { limits }),
    decode: (args: unknown) => ({ input: args }),
    render: (result: unknown) => ({ content: [{ kind: "json", value: result as Json }], clamped: true }),
  };
  return presentTool(tool, presenter, PLAIN);
}
