/** The services of a host: real time, chance and digests, and state on disk or in memory. */

import { loadRegexEngine } from "../engines/search/index.js";
import type { HttpOptions } from "../kernel/index.js";
import {
  type Approver,
  type Autonomy,
  type Embed,
  type Faults,
  type Hooks,
  type HostServices,
  type Http,
  loadValidator,
  type Policy,
  type RateLimit,
  type Redactor,
  type Session,
  type SessionInfo,
  type State,
  type UndoLog,
} from "../kernel/index.js";
import { slidingWindowRate } from "../policy/index.js";
import type { DocumentSession, LocalSession } from "../stores/index.js";
import { loadEncodingTables } from "../text/index.js";
import { isOwnTool } from "./builtin-registry.js";
import { openPostgresState } from "./open-state.js";
import type { RateOptions } from "./toolkit-options.js";

interface HostServicesOptions {
  readonly policy: Policy;
  readonly autonomy: Autonomy;
  readonly stateDir?: string;
  /** False: nothing is stored on disk. */
  readonly persist: boolean;
  /** Default: that of the state directory, or in memory. */
  readonly state?: State;
  /** The URL of a database, in place of `state`. */
  readonly store?: string;
  /** Bytes that the artifacts of one session may take on disk. Default: the store's. */
  readonly artifactQuotaBytes?: number;
  readonly approver?: Approver;
  readonly approvalTimeoutMs?: number;
  readonly hooks?: Hooks;
  readonly rate?: RateLimit | RateOptions;
  readonly redactor?: Redactor | undefined;
  readonly embed?: Embed;
  /** A port of the embedder, which is not closed here. Default: one made with `web`. */
  readonly http?: Http | undefined;
  readonly web: HttpOptions;
  readonly fenceUntrusted: boolean;
  readonly faults?: Faults;
}

/** Who a session belongs to, and whose memories and schedules it uses. */
export type SessionOwners = Pick<Session, "owner" | "stateOwner">;

export interface Host {
  readonly services: HostServices;
  /** A session: a named one is found again by its name, one without ends with its `close`. Stores nothing yet. */
  session(id: string | undefined, about: SessionOwners): DocumentSession;
  /** Of this machine. */
  readonly machine: { readonly home: string; currentDirectory(): string | undefined };
  /** Absent where nothing is stored on disk. */
  readonly statePath?: string;
  close(): void;
}

export async function createHost(options: HostServicesOptions): Promise<Host> {
  const { policy, autonomy, approver, approvalTimeoutMs, hooks, redactor, embed } = options;
  const [system, { documentSession }, { loadRipgrepPackage }] = await Promise.all([
    import("../host/index.js"),
    import("../stores/index.js"),
    import("../backends/local/index.js"),
  ]);
  const { createCallFaults, createHttp, createSystemMedia, preload, sha256, systemClock, systemIds } = system;
  await preload([loadValidator, loadRegexEngine, loadEncodingTables, loadRipgrepPackage]);
  const ownHttp = createHttp(options.web);
  const { http = ownHttp } = options;
  const clock = systemClock;
  const ids = systemIds;
  const rate = options.rate === undefined ? undefined : rateOf(options.rate, clock.now);
  const local = options.persist ? await stateOnDisk(options, clock) : await stateInMemory(clock, ids);
  const store = options.store === undefined ? undefined : await openPostgresState(options.store);
  const { state = store ?? local.state } = options;
  const paths = [...(local.state.directories ?? []), ...(options.state?.directories ?? [])];
  let contexts = 0;
  const services: HostServices = {
    clock,
    ids,
    digest: sha256,
    policy,
    autonomy,
    state,
    audit: local.audit,
    locks: local.locks,
    undoLog: local.undoLog,
    faults: options.faults ?? createCallFaults(),
    fenceUntrusted: options.fenceUntrusted,
    isOwnTool,
    media: createSystemMedia(),
    http,
    nextContextId: () => ++contexts,
    ...(approver === undefined ? {} : { approver }),
    ...(approvalTimeoutMs === undefined ? {} : { approvalTimeoutMs }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(rate === undefined ? {} : { rate }),
    ...(redactor === undefined ? {} : { redactor }),
    ...(embed === undefined ? {} : { embed }),
    ...(paths.length === 0 ? {} : { protectedPaths: { ...STATE_DIRECTORY, paths } }),
  };
  return {
    services: Object.freeze(services),
    machine: { home: system.homeDirectory(), currentDirectory: system.currentDirectory },
    session(name, { owner, stateOwner }) {
      const id = name ?? ids.next("session");
      const isTemporary = name === undefined;
      return documentSession({
        state,
        id,
        isTemporary,
        now: clock.now,
        mayHaveApprovals: () => state !== local.state || local.isUsed(),
        openLocal: (record) =>
          state === local.state ? local.openLocal(id, isTemporary) : openApart(local, id, isTemporary, record),
        ...(owner === undefined ? {} : { owner }),
        ...(stateOwner === undefined ? {} : { stateOwner }),
      });
    },
    ...(local.path === undefined ? {} : { statePath: local.path }),
    close() {
      ownHttp.close();
      local.close();
      void store?.close().catch(() => {});
    },
  };
}

/**
 * What a session of a state that the host was given has here. It must not become that of a later session of the same name, which
 * another machine has begun, and is not the session of that name in the state directory.
 */
function openApart(local: LocalState, id: string, isTemporary: boolean, record?: SessionInfo): LocalSession {
  const name = isTemporary || record === undefined ? id : `${id} ${record.version}`;
  const session = local.openLocal(name, isTemporary);
  return { ...session, hold: () => session.hold() };
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

/** What a host has on this machine, and the state that it uses where none was given. */
type LocalState = Pick<HostServices, "audit" | "locks" | "state"> & {
  readonly undoLog: UndoLog;
  readonly path?: string;
  /** Whether something may have been stored in the state by this process. */
  isUsed(): boolean;
  openLocal(id: string, isTemporary: boolean): LocalSession;
  close(): void;
};

async function stateOnDisk(
  { stateDir, artifactQuotaBytes: quotaBytes }: HostServicesOptions,
  clock: HostServices["clock"],
): Promise<LocalState> {
  const [{ fileAudit, fileLocks, fileSessions, fileUndoLog, openStateDirectory }, { embeddedState }] =
    await Promise.all([import("../stores/files/index.js"), import("./embedded-state.js")]);
  const directory = openStateDirectory(stateDir);
  const locks = fileLocks(directory);
  const audit = fileAudit(directory);
  const quota = quotaBytes === undefined ? {} : { quotaBytes };
  const sessions = fileSessions({
    state: directory,
    now: clock.now,
    onIdle: () => void embedded.endIdle(),
    ...quota,
  });
  const embedded = await embeddedState({ directory, locks, sessions, now: clock.now });
  const { state } = embedded;
  return {
    path: directory.path,
    audit,
    locks,
    undoLog: fileUndoLog(directory, { now: clock.now }),
    state,
    isUsed: embedded.isUsed,
    openLocal: sessions.open,
    close() {
      sessions.close();
      audit.close();
      void state.close();
    },
  };
}

async function stateInMemory(clock: HostServices["clock"], ids: HostServices["ids"]): Promise<LocalState> {
  const { memoryArtifacts, memoryAudit, memoryLocalSession, memoryLocks, memoryState, memoryUndoLog } = await import(
    "../stores/memory/index.js"
  );
  const state = memoryState({ ids, now: clock.now });
  return {
    audit: memoryAudit(),
    locks: memoryLocks(clock),
    undoLog: memoryUndoLog({ now: clock.now }),
    state,
    isUsed: () => true,
    openLocal: () => memoryLocalSession(memoryArtifacts({ ids, now: clock.now })),
    close: () => void state.close(),
  };
}
