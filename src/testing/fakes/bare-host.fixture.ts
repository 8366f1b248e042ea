/** The minimal host of a kernel test: real time, counted ids, an audit in memory, a backend that records and rejects. */
import { createHash } from "node:crypto";
import {
  type ArtifactPart,
  type Artifacts,
  type AuditBegin,
  type AuditEnd,
  type Backend,
  type BoundCall,
  type Claim,
  createHostContext,
  type Decision,
  type Grant,
  grantFor,
  type HostContext,
  type HostContextOptions,
  type HostServices,
  type Policy,
  type Ports,
  requireAuthorized,
  requireCommand,
  requireCovered,
  requireLive,
  type Session,
  SessionTrust,
  type TodoItem,
  targetOf,
} from "../../kernel/index.js";
import { memoryState } from "../../stores/memory/index.js";

const allowAll: Policy = {
  name: "allow-all",
  decide: (claims) => ({
    effect: "allow",
    rule: "allow-all",
    risk: "low",
    reason: "All is allowed.",
    grant: grantFor("g", claims),
  }),
};

/** A policy that answers each question by a function. */
export function policyOf(decide: (claims: readonly Claim[]) => Partial<Decision> & Pick<Decision, "effect">): Policy {
  return {
    name: "scripted",
    decide(claims) {
      const base = {
        rule: "scripted",
        risk: "medium",
        reason: "The test says so.",
        grant: grantFor("g", claims),
        remember: [],
      };
      return { ...base, ...decide(claims) } as Decision;
    },
  };
}

interface AuditEntry {
  readonly id: string;
  readonly begin: AuditBegin;
  readonly ends: AuditEnd[];
}

export interface BareHost extends HostServices {
  readonly entries: AuditEntry[];
}

export function bareHost(more: Partial<HostServices> = {}): BareHost {
  const entries: AuditEntry[] = [];
  let ids = 0;
  let contexts = 0;
  return {
    clock: {
      now: () => Date.now(),
      timer(ms, done) {
        const timer = setTimeout(done, ms);
        return () => clearTimeout(timer);
      },
    },
    ids: { next: (kind) => `${kind}-${++ids}` },
    digest: (bytes) => createHash("sha256").update(bytes).digest("hex"),
    policy: allowAll,
    state: memoryState({ ids: { next: (kind) => `${kind}-${++ids}` }, now: Date.now }),
    audit: {
      async begin(begin) {
        entries.push({ id: `a${entries.length}`, begin, ends: [] });
        return `a${entries.length - 1}`;
      },
      async end(id, end) {
        entries.find((entry) => entry.id === id)?.ends.push(end);
      },
    },
    locks: { hold: (_key, _io, body) => body() },
    nextContextId: () => ++contexts,
    ...more,
    entries,
  };
}

export function bareArtifacts(): Artifacts & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    async create() {
      const id = String(texts.size + 1);
      texts.set(id, "");
      return {
        id,
        async write(bytes) {
          texts.set(id, texts.get(id) + new TextDecoder().decode(bytes));
        },
        async end() {
          const size = texts.get(id)?.length ?? 0;
          return { producedBytes: size, keptBytes: size };
        },
      };
    },
    async read(id): Promise<ArtifactPart | "unknown"> {
      const text = texts.get(id);
      if (text === undefined) return "unknown";
      const bytes = new TextEncoder().encode(text);
      return { bytes, keptBytes: bytes.length, producedBytes: bytes.length };
    },
    list: async () => [],
    export: async () => ({ bytes: 0 }),
  };
}

export function bareSession(id = "s1"): Session {
  const cwds = new Map<string, string>();
  let items: readonly TodoItem[] = [];
  return {
    id,
    version: () => undefined,
    cwd: (backend) => cwds.get(backend),
    setCwd: (backend, path) => void cwds.set(backend, path),
    readState: new Map(),
    outputsSeen: new Map(),
    caches: new Map(),
    todo: {
      read: async () => items,
      replace: async (next) => {
        items = next;
      },
    },
    artifacts: bareArtifacts(),
    symlinks: new Set(),
    trust: new SessionTrust(),
  };
}

/** Files in a map, symlinks in another; `touched` lists every accessed path. Only what kernel tests need. */
export function recordingBackend(
  options: { readonly links?: Readonly<Record<string, string>>; readonly name?: string } = {},
) {
  const touched: string[] = [];
  const files = new Map<string, string>();
  const realOf = (path: string) => options.links?.[path] ?? path;
  const refuse = async (): Promise<never> => {
    throw new Error("not in this fixture");
  };
  const fsOf = (grant: Grant | undefined, call: BoundCall | undefined) => {
    const enter = async (path: string, access: "read" | "write") => {
      if (grant !== undefined && call !== undefined) {
        requireLive(call);
        requireCovered(grant, path, access);
        await requireAuthorized(grant, call, path, realOf(path), access);
      }
      touched.push(`${access} ${realOf(path)}`);
    };
    return {
      async readText(path: string) {
        await enter(path, "read");
        return files.get(realOf(path)) ?? "";
      },
      async writeFile(path: string, data: string | Uint8Array) {
        await enter(path, "write");
        files.set(realOf(path), String(data));
      },
      resolve: async (paths: readonly string[]) =>
        paths.map((path) => ({ real: realOf(path), missing: "", kind: "file" as const })),
    };
  };
  const shellOf = (grant: Grant | undefined, call: BoundCall | undefined) => ({
    async exec(command: string, options: { cwd: string }) {
      if (call !== undefined) requireLive(call);
      requireCommand(grant, command, options, "foreground");
      touched.push(`run ${command}`);
      return {};
    },
    spawn: refuse,
    attach: refuse,
  });
  const backend = {
    name: options.name ?? "recording",
    machine: options.name ?? "recording",
    flags: {},
    guard: "checked" as const,
    home: "/home/t",
    cwd: "/ws",
    bind: (grant: Grant, call: BoundCall) =>
      ({ fs: fsOf(grant, call), shell: shellOf(grant, call), search: {} }) as unknown as Ports,
    root: { fs: fsOf(undefined, undefined), shell: shellOf(undefined, undefined) },
    state: () => "open" as const,
    close: async () => ({ left: [] }),
  };
  return { backend: backend as unknown as Backend, touched, files };
}

export function bareContext(
  host: HostServices = bareHost(),
  more: Partial<HostContextOptions> & { readonly backend?: Backend } = {},
): HostContext {
  const { backend = recordingBackend().backend, target = targetOf(backend), ...options } = more;
  return createHostContext({ host, session: bareSession(), target, ...options });
}
