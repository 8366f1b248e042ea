/** State that ends with the process: the reference for what the ports of `State` mean. */
import {
  type ApprovedSession,
  closedState,
  type Documents,
  documentText,
  endedSession,
  type Ids,
  requireDocumentKey,
  SESSION_IDLE_MS,
  type SessionInfo,
  type Sessions,
  type State,
  type StoredDocument,
} from "../../kernel/index.js";
import { compareUtf8 } from "../../text/index.js";
import { type CountedDocuments, documentApprovals } from "../document-approvals.js";
import { listDocuments } from "../list-documents.js";

export interface MemoryStateOptions {
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  now(): number;
}

interface LiveSession {
  info: SessionInfo;
  readonly collections: Map<string, Documents>;
}

/** The state of one process, lost with it. */
export function memoryState({ ids, now }: MemoryStateOptions): State {
  const newVersion = () => ids.next("v");
  const collections = new Map<string, Documents>();
  const sessions = new Map<string, LiveSession>();
  const approvedIn = new Map<string, Documents>();
  const versionOf = (id: string) => sessions.get(id)?.info.version;
  let isClosed = false;

  const requireOpen = (): void => {
    if (isClosed) throw closedState();
  };
  const newDocuments = (session?: Pick<SessionInfo, "id" | "version">): CountedDocuments => {
    const isLive = () => session === undefined || session.version === versionOf(session.id);
    return memoryDocuments({ newVersion, requireOpen, isLive });
  };
  const documentsIn = (open: Map<string, Documents>, name: string, session?: SessionInfo): Documents => {
    const found = open.get(name) ?? newDocuments(session);
    open.set(name, found);
    return found;
  };
  const projects = newDocuments();
  const approvedFor = ({ session: id, version = "" }: ApprovedSession): Documents =>
    version === "" || version === versionOf(id) ? documentsIn(approvedIn, id) : newDocuments({ id, version });

  return {
    shared: false,
    documents(collection, session) {
      if (session === undefined) return documentsIn(collections, collection);
      const live = sessions.get(session.id);
      const isLive = live?.info.version === session.version;
      return documentsIn(isLive ? live.collections : new Map(), collection, session);
    },
    sessions: memorySessions({ sessions, now, newVersion, requireOpen, forget: (id) => approvedIn.delete(id) }),
    approvals: documentApprovals({
      requests: newDocuments(),
      remembered: (scope) =>
        "session" in scope
          ? { documents: approvedFor(scope), key: "approved" }
          : { documents: projects, key: scope.project },
      now,
    }),
    problem: async () => (isClosed ? "the state was closed" : undefined),
    async close() {
      isClosed = true;
    },
  };
}

interface SessionParts {
  /** Least recently used first. */
  readonly sessions: Map<string, LiveSession>;
  now(): number;
  newVersion(): string;
  requireOpen(): void;
  /** Forgets what was approved for a session. */
  forget(id: string): void;
}

function memorySessions({ sessions, now, newVersion, requireOpen, forget }: SessionParts): Sessions {
  const endIdle = (): void => {
    for (const [id, { info }] of sessions) {
      if (now() - info.usedMs <= SESSION_IDLE_MS) return;
      sessions.delete(id);
      forget(id);
    }
  };
  return {
    async open(id, { owner, isTemporary = false } = {}) {
      requireOpen();
      requireDocumentKey(id);
      endIdle();
      const nowMs = now();
      const created = { id, version: newVersion(), isTemporary, createdMs: nowMs, usedMs: nowMs };
      const live = sessions.get(id) ?? {
        info: owner === undefined ? created : { ...created, owner },
        collections: new Map(),
      };
      sessions.set(id, live);
      return live.info;
    },
    async touch(id) {
      requireOpen();
      const live = sessions.get(id);
      if (live === undefined) return false;
      live.info = { ...live.info, usedMs: now() };
      sessions.delete(id);
      sessions.set(id, live);
      return true;
    },
    async *list({ owner } = {}) {
      requireOpen();
      for (const id of [...sessions.keys()].sort(compareUtf8)) {
        const info = sessions.get(id)?.info;
        if (info !== undefined && (owner === undefined || info.owner === owner)) yield info;
      }
    },
    async end(id, version) {
      requireOpen();
      if (version !== undefined && version !== sessions.get(id)?.info.version) return false;
      forget(id);
      return sessions.delete(id);
    },
  };
}

/** Values are kept as text, so that what goes in and comes out is a copy. */
function memoryDocuments({
  newVersion,
  requireOpen,
  isLive,
}: {
  newVersion(): string;
  requireOpen(): void;
  /** Whether the session of the documents has not ended. */
  isLive(): boolean;
}): CountedDocuments {
  const stored = new Map<string, { readonly text: string; readonly version: string }>();
  const read = (key: string): StoredDocument | undefined => {
    const one = isLive() ? stored.get(key) : undefined;
    return one && { key, value: JSON.parse(one.text), version: one.version };
  };
  return {
    async get(key) {
      requireOpen();
      requireDocumentKey(key);
      return read(key);
    },
    async update(key, change) {
      requireOpen();
      requireDocumentKey(key);
      if (!isLive()) throw endedSession(`the document ${JSON.stringify(key)}`);
      const old = read(key);
      const next = change(old?.value, old?.version);
      if (next === undefined) stored.delete(key);
      else stored.set(key, { text: documentText(key, next), version: newVersion() });
      return read(key);
    },
    async count() {
      requireOpen();
      return stored.size;
    },
    async *list(query) {
      requireOpen();
      yield* listDocuments(stored.keys(), query, async (key) => read(key));
    },
  };
}
