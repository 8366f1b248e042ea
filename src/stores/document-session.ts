/** A session whose state is documents of a `State`: the one implementation for every store. */
import {
  type Artifacts,
  type Documents,
  endedSession,
  HaftError,
  otherOwner,
  type Session,
  type SessionInfo,
  SessionTrust,
  type State,
  TODO_STATUSES,
  type TodoItem,
  unopenedSession,
} from "../kernel/index.js";
import { SessionMemory, withChanges } from "./session-memory.js";

/** The collection of a session with its todo list and what it remembers. */
const COLLECTION = "session";
const TODO = "todo";
const MEMORY = "memory";
/** Milliseconds between two updates of the time of last use. */
const TOUCH_EVERY_MS = 60_000;

/** What a session has on this machine with every store: its artifacts, and the note that this process has it open. */
export interface LocalSession {
  readonly artifacts: Artifacts;
  /** The session has a record: others see from now on that this process has it open. */
  hold(): void;
  /** A call has ended. */
  touch(): void;
  /** Whether another process ended it since it was opened here. */
  isGone(): boolean;
  /** Ends open artifacts. Idempotent. */
  close(): Promise<void>;
  /** Closes it and deletes its artifacts. Idempotent. */
  end(): Promise<void>;
}

export interface DocumentSessionOptions {
  readonly state: State;
  readonly id: string;
  readonly owner?: string;
  /** It cannot be resumed: nothing of it is loaded, and `close` ends it. Default false. */
  readonly isTemporary?: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Called once, for what is stored on this machine; without `record` for a temporary session that has stored nothing yet. */
  openLocal(record?: SessionInfo): LocalSession;
}

/** A session and its life. */
export interface DocumentSession extends Session {
  /**
   * Before each call: opens the record of a named session, and loads what other processes have changed. Undefined where there is
   * nothing to do, as for a session without a name.
   * @throws `POLICY_DENIED` if it belongs to another owner, `STORE_*`.
   */
  load(): Promise<void> | undefined;
  /** After each call: stores what it changed where other processes may see it. Never rejects; `close` tries again. */
  settle(): Promise<void> | undefined;
  /** Whether it was ended from elsewhere. */
  isGone(): boolean;
  /** Stores what is not stored yet; a temporary session is ended. Idempotent. @throws `STORE_*` */
  close(): Promise<void>;
  /** Deletes everything stored for it. Idempotent. @throws As `load`. */
  end(): Promise<void>;
}

/** What is open of a session that has a record. */
interface Opened {
  readonly info: SessionInfo;
  readonly documents: Documents;
}

/** Opens nothing: a named session opens its record with its first call, a temporary one when it stores something. */
export function documentSession(options: DocumentSessionOptions): DocumentSession {
  const { state, id, owner, isTemporary = false, now } = options;
  const memory = new SessionMemory();
  let opened: Opened | undefined;
  let opening: Promise<Opened> | undefined;
  let local: LocalSession | undefined;
  let loadedVersion: string | undefined;
  let isLoaded = false;
  let queue: Promise<unknown> = Promise.resolve();
  let touchedMs: number | undefined;
  let isGone = false;

  /** One after the other: a load must not take back what is just being saved. */
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const next = queue.then(work);
    queue = next.catch(() => {});
    return next;
  };

  const localPart = (): LocalSession => {
    local ??= options.openLocal(opened?.info);
    return local;
  };

  const open = async (): Promise<Opened> => {
    if (opened !== undefined) return opened;
    opening ??= openRecord(options).then(
      (info) => {
        opened = { info, documents: state.documents(COLLECTION, info) };
        touchedMs = now();
        localPart().hold();
        return opened;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };

  /** Undefined for a temporary session that has stored nothing. */
  const openIfStored = async (): Promise<Opened | undefined> => (isTemporary ? opened : open());

  const load = async (): Promise<void> => {
    const { documents } = await open();
    if (isLoaded && !state.shared) return;
    const found = await documents.get(MEMORY).catch(emptyIfDamaged);
    isLoaded = true;
    if (found === undefined || found.version === loadedVersion) return;
    loadedVersion = found.version;
    memory.load(found.value);
  };

  const save = async (): Promise<void> => {
    if (isGone || !memory.isChanged) return;
    const { documents } = await open();
    const changes = memory.takeChanges();
    try {
      let isOwn = false;
      const stored = await documents.update(MEMORY, (old, version) => {
        isOwn = version === loadedVersion;
        return withChanges(old, changes);
      });
      // What another process has stored meanwhile is still to be loaded.
      if (isOwn) loadedVersion = stored?.version;
    } catch (error) {
      memory.restore(changes);
      // Nothing is stored for a session that was ended; a closed state is reported.
      isGone = HaftError.is(error, "STORE_CLOSED") && (await state.problem()) === undefined;
      if (!isGone) throw error;
    }
  };

  const touch = (): void => {
    try {
      localPart().touch();
    } catch {
      // A state directory that cannot be written is reported by the call that has something to store.
    }
    if (opened === undefined || (touchedMs !== undefined && now() - touchedMs < TOUCH_EVERY_MS)) return;
    touchedMs = now();
    const note = (isThere: boolean): void => {
      isGone ||= !isThere;
    };
    state.sessions.touch(id).then(note, () => {});
  };

  const end = async (): Promise<void> => {
    await local?.close().catch(() => {});
    const record = await openIfStored();
    // Approvals are stored for a temporary session without its record. Its id is never used again.
    if (record === undefined) await state.sessions.end(id).catch(() => {});
    else await state.sessions.end(id, record.info.version);
    await local?.end();
  };

  return {
    id,
    ...(owner === undefined ? {} : { owner }),
    version: () => opened?.info.version,
    readState: memory.readState,
    outputsSeen: memory.outputsSeen,
    caches: new Map(),
    symlinks: memory.symlinks,
    trust: new SessionTrust(),
    artifacts: artifactsOf(localPart, open, openIfStored),
    cwd: (target) => memory.cwd(target),
    setCwd: (target, path) => memory.setCwd(target, path),
    todo: {
      async read() {
        const open = await openIfStored();
        return open === undefined ? [] : todoItems((await open.documents.get(TODO))?.value);
      },
      async replace(items) {
        if (isTemporary && opened === undefined && items.length === 0) return;
        const { documents } = await open();
        await documents.update(TODO, () => items.map((item) => ({ ...item })));
      },
    },
    load: () => (isTemporary || (isLoaded && !state.shared) ? undefined : inOrder(load)),
    settle() {
      touch();
      if (isTemporary || !state.shared || !memory.isChanged) return undefined;
      return inOrder(save).catch(() => {});
    },
    isGone: () => isGone || (opened !== undefined && localPart().isGone()),
    async close() {
      if (isTemporary) return end();
      try {
        await inOrder(save);
      } finally {
        await local?.close();
      }
    },
    end,
  };
}

/** @throws `POLICY_DENIED` if it belongs to another owner, `STORE_*`. */
async function openRecord({ state, id, owner, isTemporary = false }: DocumentSessionOptions): Promise<SessionInfo> {
  const about = { isTemporary, ...(owner === undefined ? {} : { owner }) };
  const info = await state.sessions.open(id, about).catch((error: unknown) => {
    if (!HaftError.is(error, "STORE_INVALID")) throw error;
    throw unopenedSession("STORE_INVALID", id, String(error.details.why), error.details);
  });
  if (info.owner !== owner) throw otherOwner(id);
  return info;
}

/** The files of a session need its record, so that they are found and deleted with it. */
function artifactsOf(
  local: () => LocalSession,
  open: () => Promise<unknown>,
  openIfStored: () => Promise<unknown>,
): Artifacts {
  return {
    async create(about) {
      await open();
      if (local().isGone()) throw endedSession("the artifact");
      return local().artifacts.create(about);
    },
    async read(...range) {
      await openIfStored();
      return local().artifacts.read(...range);
    },
    async list() {
      await openIfStored();
      return local().artifacts.list();
    },
    async export(...to) {
      await openIfStored();
      return local().artifacts.export(...to);
    },
  };
}

/** Without its memory, a session reads files again before it overwrites them. The next save sets the damaged document aside. */
function emptyIfDamaged(error: unknown): undefined {
  if (!HaftError.is(error, "STORE_CONFLICT")) throw error;
}

/** The todo list of a session, for commands that manage it from outside. @throws As `get` of documents. */
export async function todoItemsOf(state: Pick<State, "documents">, info: SessionInfo): Promise<readonly TodoItem[]> {
  return todoItems((await state.documents(COLLECTION, info).get(TODO))?.value);
}

/** Ignores what is not a todo item, so that a document written by something else can still be read and replaced. */
function todoItems(document: unknown): readonly TodoItem[] {
  return Array.isArray(document) ? document.filter(isTodoItem) : [];
}

function isTodoItem(value: unknown): value is TodoItem {
  const { id, text, status } = (value ?? {}) as Partial<TodoItem>;
  return typeof id === "string" && typeof text === "string" && TODO_STATUSES.some((known) => known === status);
}
