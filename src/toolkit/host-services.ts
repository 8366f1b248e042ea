/** The services of a host: real time, chance and digests, and state on disk or in memory. */

import { loadRegexEngine } from "../engines/search/index.js";
import {
  type Approver,
  type Autonomy,
  type Faults,
  type Hooks,
  type HostServices,
  loadValidator,
  type Policy,
  type RateLimit,
  type Redactor,
  type Session,
} from "../kernel/index.js";
import { slidingWindowRate } from "../policy/index.js";
import { loadEncodingTables } from "../text/index.js";
import { isOwnTool } from "./builtin-registry.js";
import type { RateOptions } from "./toolkit-options.js";

interface HostServicesOptions {
  readonly policy: Policy;
  readonly autonomy: Autonomy;
  readonly stateDir?: string;
  /** False: nothing is stored on disk. */
  readonly persist: boolean;
  /** Bytes that the artifacts of one session may take on disk. Default: the store's. */
  readonly artifactQuotaBytes?: number;
  readonly approver?: Approver;
  readonly approvalTimeoutMs?: number;
  readonly hooks?: Hooks;
  readonly rate?: RateLimit | RateOptions;
  readonly redactor?: Redactor;
  readonly faults?: Faults;
}

/** A session and its life on this host. */
type HostSession = Session & {
  /** A call of it has ended. */
  touch(): void;
  /** Whether it was ended from elsewhere. */
  isGone(): boolean;
  close(): Promise<void>;
  /** Closes it and removes all that it has kept. */
  end(): Promise<void>;
};

export interface Host {
  readonly services: HostServices;
  /** Opens a session: a named one is found again by its name, one without ends with its `close`. */
  openSession(id: string | undefined): HostSession;
  /** Of this machine. */
  readonly machine: { readonly home: string; currentDirectory(): string | undefined };
  /** Absent where nothing is stored on disk. */
  readonly statePath?: string;
  close(): void;
}

export async function createHost(options: HostServicesOptions): Promise<Host> {
  const { policy, autonomy, approver, approvalTimeoutMs, hooks, redactor } = options;
  const [system, { loadRipgrepPackage }] = await Promise.all([
    import("../host/index.js"),
    import("../backends/local/index.js"),
  ]);
  const { createCallFaults, createSystemMedia, preload, sha256, systemClock, systemIds } = system;
  await preload([loadValidator, loadRegexEngine, loadEncodingTables, loadRipgrepPackage]);
  const clock = systemClock;
  const ids = systemIds;
  const rate = options.rate === undefined ? undefined : rateOf(options.rate, clock.now);
  const state = options.persist ? await stateOnDisk(options, clock) : await stateInMemory(clock, ids);
  let contexts = 0;
  const services: HostServices = {
    clock,
    ids,
    digest: sha256,
    policy,
    autonomy,
    state: state.state,
    audit: state.audit,
    locks: state.locks,
    faults: options.faults ?? createCallFaults(),
    isOwnTool,
    media: createSystemMedia(),
    nextContextId: () => ++contexts,
    ...(approver === undefined ? {} : { approver }),
    ...(approvalTimeoutMs === undefined ? {} : { approvalTimeoutMs }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(rate === undefined ? {} : { rate }),
    ...(redactor === undefined ? {} : { redactor }),
    ...(state.paths === undefined ? {} : { protectedPaths: { ...STATE_DIRECTORY, paths: state.paths } }),
  };
  return {
    services: Object.freeze(services),
    machine: { home: system.homeDirectory(), currentDirectory: system.currentDirectory },
    openSession: (id) => state.openSession(id ?? ids.next("session"), id === undefined),
    ...(state.path === undefined ? {} : { statePath: state.path }),
    close: state.close,
  };
}

function rateOf(rate: RateLimit | RateOptions, now: () => number): RateLimit {
  return "reserve" in rate ? rate : slidingWindowRate({ ...rate, now });
}

/** Whoever writes there can forge approvals, and the audit log. The machine is that of every backend of this machine. */
const STATE_DIRECTORY = Object.freeze({
  machine: "local",
  rule: "state-directory",
  reason: "is in the state directory of this host, which no tool may use",
  next: "Stored output is read by its artifact id.",
});

type HostState = Pick<HostServices, "audit" | "locks" | "state"> & {
  readonly path?: string;
  /** The same path as it was given and without symlinks. */
  readonly paths?: readonly string[];
  openSession(id: string, isTemporary: boolean): HostSession;
  close(): void;
};

async function stateOnDisk(
  { stateDir, artifactQuotaBytes: quotaBytes }: HostServicesOptions,
  clock: HostServices["clock"],
): Promise<HostState> {
  const { fileAudit, fileLocks, fileSessions, fileState, openStateDirectory, realStatePath } = await import(
    "../stores/files/index.js"
  );
  const directory = openStateDirectory(stateDir);
  const locks = fileLocks(directory);
  const audit = fileAudit(directory);
  const quota = quotaBytes === undefined ? {} : { quotaBytes };
  const sessions = fileSessions({ state: directory, locks, now: clock.now, ...quota });
  const state = fileState({ state: directory, locks, sessions, now: clock.now });
  return {
    path: directory.path,
    paths: [directory.path, realStatePath(directory.path)],
    audit,
    locks,
    state,
    openSession: sessions.open,
    close() {
      sessions.close();
      audit.close();
      void state.close();
    },
  };
}

async function stateInMemory(clock: HostServices["clock"], ids: HostServices["ids"]): Promise<HostState> {
  const { createMemorySession, memoryArtifacts, memoryAudit, memoryLocks, memoryState } = await import(
    "../stores/memory/index.js"
  );
  const locks = memoryLocks(clock);
  const state = memoryState({ ids, now: clock.now });
  return {
    audit: memoryAudit(),
    locks,
    state,
    openSession(id, isTemporary) {
      let version: string | undefined;
      // The approvals of a session end with its record. An id that cannot be stored has none.
      state.sessions.open(id, { isTemporary }).then(
        (opened) => {
          version = opened.version;
        },
        () => {},
      );
      const session = createMemorySession({ id, artifacts: memoryArtifacts({ ids, now: clock.now }) });
      const forget = async () => void (await state.sessions.end(id).catch(() => {}));
      return { ...session, version: () => version, touch() {}, isGone: () => false, close: forget, end: forget };
    },
    close: () => void state.close(),
  };
}
