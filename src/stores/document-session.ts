/** A session whose state is documents of a `State`: the one implementation for every store. */
import {
  type Artifacts,
  type Documents,
  endedSession,
  HaftError,
  otherOwner,
  SESSION_IDLE_MS,
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
  /**
   * The session has a record: others see from now on that this process has it open. With `record`, what is here belongs to this
   * session alone, and nothing of an earlier one of its name is left. @throws `STORE_UNWRITABLE`
   */
  hold(record?: SessionInfo): void;
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
  /** Of its calls, as in `Session`. */
  readonly stateOwner?: string | null;
  /** It cannot be resumed: nothing of it is loaded, and `close` ends it. Default false. */
  readonly isTemporary?: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether approvals may be stored for a session of this process that has no record. Default true. */
  mayHaveApprovals?(): boolean;
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

/** Opens nothing: a named session opens its record with its first call, a temporary one when it stores something. */
export function documentSession(options: DocumentSessionOptions): DocumentSession {
  const { state, id, owner, stateOwner, isTemporary = false } = options;
  const record = new SessionHandle(options);
  const memory = new StoredMemory(state, record);

  const end = async (): Promise<void> => {
    await record.openedLocal?.close().catch(() => {});
    const opened = await record.openIfStored();
    // Approvals are stored for a temporary session without its record. Its id is never used again.
    if (opened !== undefined) await state.sessions.end(id, opened.info.version);
    else if (options.mayHaveApprovals?.() ?? true) await state.sessions.end(id).catch(() => {});
    await record.openedLocal?.end();
  };

  return {
    id,
    ...(owner === undefined ? {} : { owner }),
    ...(stateOwner === undefined ? {} : { stateOwner }),
    version: () => record.opened?.info.version,
    readState: memory.readState,
    outputsSeen: memory.outputsSeen,
    caches: new Map(),
    symlinks: memory.symlinks,
    trust: new SessionTrust(),
    artifacts: artifactsOf(record),
    cwd: (target) => memory.cwd(target),
    setCwd: (target, path) => memory.setCwd(target, path),
    todo: {
      async read() {
        const opened = await record.openIfStored();
        return opened === undefined ? [] : todoItems((await opened.documents.get(TODO))?.value);
      },
      async replace(items) {
        if (isTemporary && record.opened === undefined && items.length === 0) return;
        const { documents } = await record.open();
        await documents.update(TODO, () => items.map((item) => ({ ...item })));
      },
    },
    load: () => (isTemporary ? undefined : memory.loadStored()),
    settle() {
      record.touch();
      return isTemporary || !state.shared || !memory.isChanged ? undefined : memory.save().catch(() => {});
    },
    isGone: () => record.isGone,
    async close() {
      if (isTemporary) return end();
      try {
        await memory.save();
      } finally {
        await record.openedLocal?.close();
      }
    },
    end,
  };
}

/** What is open of a session that has a record. */
interface Opened {
  readonly info: SessionInfo;
  readonly documents: Documents;
}

/** The record of a session, and what it has on this machine. */
class SessionHandle {
  readonly #options: DocumentSessionOptions;
  #opened: Opened | undefined;
  #opening: Promise<Opened> | undefined;
  #local: LocalSession | undefined;
  #touchedMs: number | undefined;
  #isGone = false;

  constructor(options: DocumentSessionOptions) {
    this.#options = options;
  }

  get opened(): Opened | undefined {
    return this.#opened;
  }

  get openedLocal(): LocalSession | undefined {
    return this.#local;
  }

  /** Whether it was ended from elsewhere. */
  get isGone(): boolean {
    return this.#isGone || (this.#opened !== undefined && this.local().isGone());
  }

  local(): LocalSession {
    this.#local ??= this.#options.openLocal(this.#opened?.info);
    return this.#local;
  }

  /** @throws `POLICY_DENIED` if it belongs to another owner, `STORE_*`. */
  async open(): Promise<Opened> {
    if (this.#opened !== undefined) return this.#opened;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Undefined for a temporary session that has stored nothing. */
  async openIfStored(): Promise<Opened | undefined> {
    return this.#options.isTemporary === true ? this.#opened : this.open();
  }

  /** The store may have ended it meanwhile: it is opened again, or a new one begins. */
  reopenIfIdle(): void {
    if (this.#sinceTouchMs() > SESSION_IDLE_MS) this.#opened = undefined;
  }

  /** A call has ended. */
  touch(): void {
    const { state, id, now } = this.#options;
    try {
      this.local().touch();
    } catch {
      // A state directory that cannot be written is reported by the call that has something to store.
    }
    if (this.#opened === undefined) return;
    if (this.#touchedMs !== undefined && this.#sinceTouchMs() < TOUCH_EVERY_MS) return;
    this.#touchedMs = now();
    state.sessions.touch(id).then(
      (isThere) => {
        this.#isGone ||= !isThere;
      },
      () => {},
    );
  }

  /** Whether a write was refused because the session was ended; a state that is closed is an error. */
  async noteRefusal(error: unknown): Promise<boolean> {
    this.#isGone ||= HaftError.is(error, "STORE_CLOSED") && (await this.#options.state.problem()) === undefined;
    return this.#isGone;
  }

  async #open(): Promise<Opened> {
    const { state, now } = this.#options;
    const info = await openRecord(this.#options);
    const opened = { info, documents: state.documents(COLLECTION, info) };
    this.#opened = opened;
    // Processes that live for one call use a session without ever having it open for a minute.
    this.#touchedMs = now() - info.usedMs < TOUCH_EVERY_MS ? now() : undefined;
    try {
      this.local().hold(info);
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
    return opened;
  }

  #sinceTouchMs(): number {
    return this.#touchedMs === undefined ? 0 : this.#options.now() - this.#touchedMs;
  }
}

/** The memory of a named session and its document. */
class StoredMemory extends SessionMemory {
  readonly #state: State;
  readonly #record: SessionHandle;
  #version: string | undefined;
  #isLoaded = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(state: State, record: SessionHandle) {
    super();
    this.#state = state;
    this.#record = record;
  }

  /** Undefined where no other process can have changed it. */
  loadStored(): Promise<void> | undefined {
    this.#record.reopenIfIdle();
    if (this.#isLoaded && this.#record.opened !== undefined && !this.#state.shared) return undefined;
    return this.#inOrder(() => this.#load());
  }

  save(): Promise<void> {
    return this.#inOrder(() => this.#save());
  }

  async #load(): Promise<void> {
    const { documents } = await this.#record.open();
    const found = await documents.get(MEMORY).catch(emptyIfDamaged);
    this.#isLoaded = true;
    if (found === undefined || found.version === this.#version) return;
    this.#version = found.version;
    this.load(found.value);
  }

  async #save(): Promise<void> {
    if (!this.isChanged || this.#record.isGone) return;
    const { documents } = await this.#record.open();
    const changes = this.takeChanges();
    try {
      let isOwn = false;
      const stored = await documents.update(MEMORY, (old, version) => {
        isOwn = version === this.#version;
        return withChanges(old, changes);
      });
      // What another process has stored meanwhile is still to be loaded.
      if (isOwn) this.#version = stored?.version;
    } catch (error) {
      this.restore(changes);
      if (!(await this.#record.noteRefusal(error))) throw error;
    }
  }

  /** One after the other: a load must not take back what is just being saved. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => {});
    return next;
  }
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
function artifactsOf(record: SessionHandle): Artifacts {
  const stored = async (): Promise<Artifacts> => {
    await record.openIfStored();
    return record.local().artifacts;
  };
  return {
    async create(about) {
      await record.open();
      if (record.isGone) throw endedSession("the artifact");
      return record.local().artifacts.create(about);
    },
    read: async (...range) => (await stored()).read(...range),
    list: async () => (await stored()).list(),
    export: async (...to) => (await stored()).export(...to),
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
